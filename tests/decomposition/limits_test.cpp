// Inputs and options at the edge of what makes sense: a clear error, or a sound rig all the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "decomposition/sound.hpp"
#include "marrow/deform.hpp"
#include "marrow/metrics.hpp"
#include "marrow/synthetic.hpp"
#include "support/expect_error.hpp"

namespace marrow {
namespace {

using testing::expect_error;
using testing::expect_sound;

const synthetic::Options small{.vertices = 60, .frames = 4};
/// So little work is done soonest by one thread.
const marrow::Run alone{.threads = 1};

/// Every frame of the sequence is `positions`.
Sequence repeated(Sequence sequence, std::span<const Vec3> positions) {
  const std::vector<Vec3> copy(positions.begin(), positions.end());
  for (std::size_t t = 0; t < sequence.frames(); ++t) std::ranges::copy(copy, sequence.frame(t).begin());
  return sequence;
}

/// All frames are the rest pose.
Sequence still() {
  const Sequence jelly = synthetic::jelly(small);
  return repeated(jelly, jelly.mesh.positions);
}

/// All frames are the rest pose, turned and moved.
Sequence moved_away() {
  Sequence sequence = still();
  for (Vec3& p : sequence.positions) p = {5 - p.y, p.x, p.z};
  return sequence;
}

Sequence tetrahedron() {
  Sequence sequence;
  sequence.mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  sequence.mesh.face_offsets = {0, 3, 6, 9, 12};
  sequence.mesh.face_vertices = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  sequence.timeline = Timeline::uniform(3, 30);
  for (int t = 0; t < 3; ++t) {
    for (const Vec3& p : sequence.mesh.positions) {
      sequence.positions.push_back({p.x * float(1 + t), p.y, p.z + float(t)});
    }
  }
  return sequence;
}

std::map<std::string, Sequence> odd_inputs() {
  const Sequence jelly = synthetic::jelly(small);
  Sequence cloud = jelly;
  cloud.mesh.face_offsets.clear();
  cloud.mesh.face_vertices.clear();
  const std::vector<Vec3> one_place(jelly.vertices(), Vec3{1, 2, 3});
  return {{"one frame", slice(jelly, 3, 1)},
          {"one frame, the rest pose", slice(still(), 0, 1)},
          {"still", still()},
          {"moved away", moved_away()},
          {"deformed once", repeated(jelly, jelly.frame(3))},
          {"shrunk to a point", repeated(jelly, one_place)},
          {"cloud", cloud},
          {"several shells", bake(synthetic::shells({.vertices = 100, .frames = 4}))},
          {"bar", bake(synthetic::bar(small))},
          {"poses", bake(synthetic::poses(small))}};
}

TEST(DecomposeLimits, ExactlyTheBonesAskedForWhateverTheInput) {
  for (const auto& [name, sequence] : odd_inputs()) {
    for (const std::size_t bones : {1, 2, 20, 40}) {
      for (const std::size_t influences : {std::size_t(1), std::size_t(4), std::size_t(16), bones}) {
        SCOPED_TRACE(fmt::format("{}, {} bones, {} influences", name, bones, influences));
        const DecomposeOptions options{.bones = bones, .influences = influences, .effort = Effort::fast};
        expect_sound(decompose(sequence, options, alone).value, bones, influences);
      }
    }
  }
}

TEST(DecomposeLimits, EveryKindOfBoneWhateverTheInput) {
  for (const auto& [name, sequence] : odd_inputs()) {
    for (const auto& [kind, kind_name, help] : bone_kind_names()) {
      SCOPED_TRACE(fmt::format("{}, {}", name, kind_name));
      const auto solve = [&, kind = kind, &s = sequence](DecomposeOptions options) {
        options.kind = kind;
        expect_sound(decompose(s, options, alone).value, options.bones, options.influences, kind);
      };
      solve({.bones = 4});
      solve({.bones = 20, .influences = 1, .effort = Effort::fast});
      solve({.bones = 8, .rest_pose = RestPose::alternate, .effort = Effort::fast});
    }
  }
}

TEST(DecomposeLimits, WithoutLimitOnScaling) {
  const DecomposeOptions options{.bones = 8,
                                 .influences = 1,
                                 .kind = BoneKind::flexible,
                                 .conditioning = 0,
                                 .rest_pose = RestPose::once,
                                 .effort = Effort::fast};
  for (const auto& [name, sequence] : odd_inputs()) {
    SCOPED_TRACE(name);
    validate(decompose(sequence, options, alone).value);
  }
}

TEST(DecomposeLimits, AsManyBonesAsVertices) {
  for (const std::size_t bones : {1, 2, 3, 4}) {
    for (const std::size_t influences : {1, 4, 16}) {
      const Rig rig = decompose(tetrahedron(), {.bones = bones, .influences = influences}, alone).value;
      expect_sound(rig, bones, influences);
    }
  }
}

TEST(DecomposeLimits, SaysWhenBonesWereNotNeeded) {
  for (const Sequence& sequence : {still(), moved_away(), slice(still(), 0, 1)}) {
    const Result<Rig> one = decompose(sequence, {.bones = 1}, alone), many = decompose(sequence, {.bones = 40}, alone);
    EXPECT_LT(compare(sequence, one.value).e_rms, 1e-3);
    EXPECT_LT(compare(sequence, many.value).e_rms, 1e-3);
    EXPECT_TRUE(one.report.warnings.empty());
    ASSERT_EQ(many.report.warnings.size(), 1u);
    EXPECT_NE(many.report.warnings[0].find("of 40 bones were not needed"), std::string::npos);
  }
}

TEST(DecomposeLimits, RefusesOptionsOutOfRange) {
  const Sequence sequence = synthetic::jelly(small);
  const auto expect_refused = [&](const std::string& message, const DecomposeOptions& options) {
    expect_error(ErrorCode::bad_request, {message}, [&] { decompose(sequence, options); });
  };
  expect_refused("bones: 0 was given; give a whole number from 1", {.bones = 0});
  expect_refused("the number of vertices", {.bones = sequence.vertices() + 1});
  expect_refused("influences: 0 was given; give a whole number from 1", {.influences = 0});
  expect_refused("conditioning: 0.5 was given", {.conditioning = 0.5});
  expect_refused("rest_limit: -1 was given", {.rest_limit = -1});
  expect_refused("smooth: nan was given", {.smooth = std::numeric_limits<double>::quiet_NaN()});
}

TEST(DecomposeLimits, RefusesInputsWithoutFramesSizeOrValues) {
  const Sequence sequence = synthetic::jelly(small);
  const auto expect_refused = [](const std::string& message, const Sequence& bad) {
    expect_error(ErrorCode::bad_input, {message}, [&] { decompose(bad, {.bones = 1}); });
  };
  expect_refused("no vertices or no frames", {});
  expect_refused("no vertices or no frames", slice(sequence, 0, 0));
  Sequence collapsed = sequence;
  std::ranges::fill(collapsed.mesh.positions, Vec3{1, 1, 1});
  expect_refused("all vertices of the rest pose are in one place", collapsed);
  Sequence broken = sequence;
  broken.frame(2)[5].x = std::numeric_limits<float>::quiet_NaN();
  expect_refused("Sequence: frame 2, vertex 5 is not finite", broken);
}

}  // namespace
}  // namespace marrow
