#include "marrow/diagnose.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/random.hpp"
#include "marrow/synthetic.hpp"

namespace marrow {
namespace {

Sequence healthy() {
  const synthetic::Options options{.vertices = 500, .frames = 6};
  return synthetic::observe(synthetic::arm(options), options);
}

/// True when exactly one thing is found, and it speaks of `word`.
::testing::AssertionResult finds_only(const Sequence& sequence, const std::string& word) {
  const std::vector<std::string> findings = diagnose(sequence);
  std::string all;
  for (const std::string& f : findings) all += "\n  " + f;
  if (findings.size() == 1 && findings[0].find(word) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "wanted one finding with \"" << word << "\", got:" << all;
}

TEST(Diagnose, NothingIsWrongWithGoodData) {
  EXPECT_TRUE(diagnose(healthy()).empty());
}

TEST(Diagnose, OtherUnit) {
  Sequence sequence = healthy();
  for (Vec3& p : sequence.positions) p = {100 * p.x, 100 * p.y, 100 * p.z};
  EXPECT_TRUE(finds_only(sequence, "same unit"));
}

TEST(Diagnose, OtherUpAxis) {
  for (const float sign : {1.0f, -1.0f}) {
    // Frames that hardly differ from the rest pose, so that the turn is all there is.
    Sequence sequence = healthy();
    for (std::size_t t = 0; t < sequence.frames(); ++t) {
      for (std::size_t i = 0; i < sequence.vertices(); ++i) {
        const Vec3& p = sequence.mesh.positions[i];
        sequence.frame(t)[i] = {p.x, sign * p.z + 0.001f * float(t), -sign * p.y};
      }
    }
    EXPECT_TRUE(finds_only(sequence, "up axis"));
  }
}

TEST(Diagnose, OtherVertexOrder) {
  Sequence sequence = healthy();
  Random random(3);
  std::vector<std::size_t> order(sequence.vertices());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.index(i)]);
  const Sequence source = sequence;
  for (std::size_t t = 0; t < sequence.frames(); ++t) {
    for (std::size_t i = 0; i < order.size(); ++i) sequence.frame(t)[i] = source.frame(t)[order[i]];
  }
  EXPECT_TRUE(finds_only(sequence, "vertex order"));
}

TEST(Diagnose, NothingMoves) {
  Sequence sequence = healthy();
  for (std::size_t t = 0; t < sequence.frames(); ++t) {
    std::ranges::copy(sequence.mesh.positions, sequence.frame(t).begin());
  }
  EXPECT_TRUE(finds_only(sequence, "nothing moves"));
}

TEST(Diagnose, LooseVerticesAndPointClouds) {
  Sequence loose = healthy();
  const std::uint32_t last = loose.mesh.face_vertices.front();
  std::ranges::replace(loose.mesh.face_vertices, last, loose.mesh.face_vertices[1]);
  EXPECT_TRUE(finds_only(loose, "1 of"));
  Sequence cloud = healthy();
  cloud.mesh.face_offsets.clear();
  cloud.mesh.face_vertices.clear();
  EXPECT_TRUE(finds_only(cloud, "point cloud"));
}

TEST(Diagnose, EmptyAndCollapsed) {
  EXPECT_TRUE(finds_only(Sequence{}, "no vertices or no frames"));
  Sequence collapsed = healthy();
  std::ranges::fill(collapsed.mesh.positions, Vec3{1, 2, 3});
  EXPECT_TRUE(finds_only(collapsed, "one place"));
}

}  // namespace
}  // namespace marrow
