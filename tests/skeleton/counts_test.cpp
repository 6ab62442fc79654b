// As many bones as were asked for, or a word about it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "marrow/deform.hpp"
#include "marrow/error.hpp"
#include "marrow/skeleton.hpp"
#include "marrow/synthetic.hpp"
#include "support/expect_error.hpp"

namespace marrow {
namespace {

using testing::expect_error;

constexpr SkeletonMethod single_passes[] = {SkeletonMethod::schaefer, SkeletonMethod::aguiar, SkeletonMethod::hasler};

/// A row of places with two vertices each, of which the second half turns.
Sequence doubled_row(std::size_t places) {
  Mesh mesh;
  for (std::size_t k = 0; k < 2 * places; ++k) {
    const auto x = float(k / 2);
    mesh.positions.push_back({x, float(k / 2 % 3), float(k / 2 % 2)});
  }
  Sequence sequence{mesh, Timeline::uniform(6, 30), {}};
  for (std::size_t t = 0; t < 6; ++t) {
    const float angle = 0.2F * float(t), middle = float(places) / 2;
    for (Vec3 p : mesh.positions) {
      const float x = p.x - middle;
      if (x > 0)
        p = {middle + std::cos(angle) * x - std::sin(angle) * p.y, std::sin(angle) * x + std::cos(angle) * p.y, p.z};
      sequence.positions.push_back(p);
    }
  }
  return sequence;
}

TEST(SkeletonCounts, MoreBonesThanPlacesAreRefused) {
  const Sequence sequence = doubled_row(12);
  ASSERT_EQ(sequence.vertices(), 24u);
  for (const SkeletonMethod method : single_passes) {
    expect_error(ErrorCode::bad_request, {"bones", "20", "12 or fewer"},
                 [&] { extract_skeleton(sequence, {.bones = 20, .method = method}); });
  }
}

TEST(SkeletonCounts, MoreBonesThanPatchesAreRefused) {
  const Sequence sequence = bake(synthetic::arm({.vertices = 500, .frames = 4}));
  for (const SkeletonMethod method : single_passes) {
    expect_error(ErrorCode::bad_request, {"bones", "310", "300 or fewer"},
                 [&] { extract_skeleton(sequence, {.bones = 310, .method = method}); });
  }
}

/// Four pieces that move as wholes look like four clusters, however many are wanted.
TEST(SkeletonCounts, ClustersThatLookAlikeAreSplit) {
  const Sequence sequence = bake(synthetic::shells({.vertices = 300, .frames = 10}, 4));
  for (const SkeletonMethod method : single_passes) {
    const Result<Rig> result = extract_skeleton(sequence, {.bones = 12, .method = method, .ends = false});
    EXPECT_EQ(result.value.bones(), 12u) << int(method);
    std::vector<bool> moves(12);
    for (const std::uint32_t j : result.value.weights.bones) moves[j] = true;
    const auto idle = std::ranges::count(moves, false);
    const bool told =
        std::ranges::any_of(result.report.warnings, [](const std::string& w) { return w.find("fewer") != w.npos; });
    EXPECT_EQ(told, idle > 0) << int(method) << ": " << idle << " bones move nothing";
  }
}

}  // namespace
}  // namespace marrow
