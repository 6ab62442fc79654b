#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "io/glb.hpp"
#include "io/glb_reading.hpp"
#include "marrow/error.hpp"
#include "support/glb_builder.hpp"

// Times and interpolation, on a triangle whose first vertex is at its node's origin and whose second is at (1, 0, 0).

namespace marrow {
namespace {

using testing::expect_near;
using testing::GlbBuilder;
using testing::read_as_sequence;
using testing::triangle_glb;

TEST(GlbAnimation, WithoutAnimationIsOneFrame) {
  GlbBuilder glb = triangle_glb();
  glb.json["nodes"][0]["translation"] = {1, 2, 3};
  const Sequence s = read_as_sequence(glb);
  ASSERT_EQ(s.frames(), 1u);
  EXPECT_EQ(s.timeline.clips[0].name, "rest");
  EXPECT_EQ(s.mesh.positions[1], (Vec3{2, 2, 3}));
  EXPECT_EQ(s.frame(0)[1], (Vec3{2, 2, 3}));
}

TEST(GlbAnimation, LinearStepAndCubicTranslations) {
  GlbBuilder glb = triangle_glb();
  glb.add_channel(0, 0, "translation", {0, 1, 3}, {0, 0, 0, 4, 0, 0, 4, 8, 0});
  glb.add_channel(1, 0, "translation", {0, 1, 3}, {0, 0, 0, 4, 0, 0, 4, 8, 0}, "STEP");
  // In-tangent, value, out-tangent per key; x goes from 0 to 1 in 2 s with slopes 3 and -1.
  glb.add_channel(2, 0, "translation", {0, 2}, {9, 9, 9, 0, 0, 0, 3, 0, 0, -1, 0, 0, 1, 0, 0, 9, 9, 9}, "CUBICSPLINE");
  const Sequence s = read_as_sequence(glb, 4);
  ASSERT_EQ(s.timeline.clips.size(), 3u);
  ASSERT_EQ(s.timeline.clips[0].count, 13u);
  expect_near(s.frame(1)[0], 1, 0, 0);
  expect_near(s.frame(4)[0], 4, 0, 0);
  expect_near(s.frame(7)[0], 4, 3, 0);
  expect_near(s.frame(12)[0], 4, 8, 0);
  const std::size_t step = s.timeline.clips[1].first;
  expect_near(s.frame(step + 3)[0], 0, 0, 0);
  expect_near(s.frame(step + 4)[0], 4, 0, 0);
  expect_near(s.frame(step + 11)[0], 4, 0, 0);
  expect_near(s.frame(step + 12)[0], 4, 8, 0);
  // Hermite, at s = 1/4: h01 = 5/32, h10 = 9/64, h11 = -3/64, tangents times 2 s.
  const std::size_t cubic = s.timeline.clips[2].first;
  ASSERT_EQ(s.timeline.clips[2].count, 9u);
  expect_near(s.frame(cubic + 2)[0], 5.0 / 32 + 2 * 3 * 9.0 / 64 + 2 * 3.0 / 64, 0, 0);
  expect_near(s.frame(cubic + 8)[0], 1, 0, 0);
}

TEST(GlbAnimation, RotationsTurnAtConstantSpeedTheShortWay) {
  const auto half = float(std::sqrt(0.5));
  for (const float sign : {1.0f, -1.0f}) {
    GlbBuilder glb = triangle_glb();
    glb.add_channel(0, 0, "rotation", {0, 1}, {0, 0, 0, 1, 0, 0, sign * half, sign * half});
    const Sequence s = read_as_sequence(glb, 8);
    for (std::size_t t = 0; t <= 8; ++t) {
      const double angle = std::numbers::pi / 16 * double(t);
      expect_near(s.frame(t)[1], std::cos(angle), std::sin(angle), 0);
    }
  }
}

TEST(GlbAnimation, ScalesAndHoldsOutsideTheKeys) {
  GlbBuilder glb = triangle_glb();
  glb.add_channel(0, 0, "scale", {1, 2}, {1, 1, 1, 3, 1, 1});
  glb.add_channel(0, 0, "translation", {0, 3}, {0, 0, 0, 0, 0, 3});
  const Sequence s = read_as_sequence(glb, 2);
  ASSERT_EQ(s.frames(), 7u);
  expect_near(s.frame(1)[1], 1, 0, 0.5);
  expect_near(s.frame(3)[1], 2, 0, 1.5);
  expect_near(s.frame(6)[1], 3, 0, 3);
}

TEST(GlbAnimation, MovesChildrenOfMatrixNodes) {
  GlbBuilder glb = triangle_glb();
  // Column-major: a quarter turn about z, then (10, 0, 0).
  glb.add_node({{"matrix", {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 10, 0, 0, 1}}, {"children", {0}}});
  glb.json["scenes"][0]["nodes"] = {1};
  glb.add_channel(0, 0, "translation", {0, 0.1f}, {0, 0, 0, 2, 0, 0});
  const Sequence s = read_as_sequence(glb);
  ASSERT_EQ(s.frames(), 2u);
  expect_near(s.mesh.positions[1], 10, 1, 0);
  expect_near(s.frame(1)[1], 10, 3, 0);
}

TEST(GlbAnimation, FramesAreTheKeysOfABakedClip) {
  GlbBuilder glb = triangle_glb();
  const std::vector<float> times{0.5f, 0.6f, 0.65f};
  glb.add_channel(0, 0, "translation", times, {0, 0, 0, 1, 0, 0, 2, 0, 0});
  glb.add_channel(0, 0, "scale", {0.5f, 0.650003f}, {1, 1, 1, 2, 2, 2});
  const Sequence s = read_as_sequence(glb);
  ASSERT_EQ(s.frames(), 3u);
  for (std::size_t t = 0; t < 3; ++t) EXPECT_EQ(s.timeline.times[t], double(times[t]));
}

TEST(GlbAnimation, SparseKeysAreSampledThirtyTimesASecond) {
  // A gap, and keys that are not those of the longest channel: neither is a baked clip.
  GlbBuilder gap = triangle_glb();
  gap.add_channel(0, 0, "translation", {1, 1.1f, 1.25f}, {0, 0, 0, 1, 0, 0, 2, 0, 0});
  GlbBuilder apart = triangle_glb();
  apart.add_channel(0, 0, "translation", {1, 1.1f, 1.2f, 1.25f}, {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0});
  apart.add_channel(0, 0, "scale", {1, 1.05f}, {1, 1, 1, 2, 2, 2});
  for (GlbBuilder* glb : {&gap, &apart}) {
    const Sequence s = read_as_sequence(*glb);
    ASSERT_EQ(s.frames(), 9u);  // 1, 1 1/30, ..., 1 7/30 and the last key
    EXPECT_NEAR(s.timeline.times[7], 1 + 7.0 / 30, 1e-9);
    EXPECT_EQ(s.timeline.times[8], 1.25);
  }
}

TEST(GlbAnimation, OwnFilesKeepEveryKey) {
  GlbBuilder glb = triangle_glb();
  glb.json["asset"]["extras"] = {{"marrow", "1"}};
  glb.add_channel(0, 0, "translation", {0, 5}, {0, 0, 0, 1, 0, 0});
  glb.add_channel(0, 0, "scale", {0, 7}, {1, 1, 1, 2, 2, 2});
  EXPECT_EQ(read_as_sequence(glb).timeline.times, (std::vector<double>{0, 5, 7}));
}

TEST(GlbAnimation, ARateThatFitsReachesTheLastKey) {
  GlbBuilder glb = triangle_glb();
  glb.add_channel(0, 0, "translation", {0, 2.0833333f}, {0, 0, 0, 1, 0, 0});
  EXPECT_EQ(read_as_sequence(glb, 24).frames(), 51u);
  EXPECT_EQ(read_as_sequence(glb, 10).frames(), 21u);
}

TEST(GlbAnimation, ClipsHaveUniqueNames) {
  GlbBuilder glb = triangle_glb();
  for (std::size_t a = 0; a < 5; ++a) glb.add_channel(a, 0, "translation", {0}, {0, 0, 0});
  glb.json["animations"][1]["name"] = "walk";
  glb.json["animations"][3]["name"] = "walk";
  // Moves nothing that can be read, so it is no clip.
  glb.json["animations"][2]["channels"][0]["target"]["path"] = "pointer";
  const Sequence s = read_as_sequence(glb);
  ASSERT_EQ(s.timeline.clips.size(), 4u);
  EXPECT_EQ(s.timeline.clips[0].name, "clip_0");
  EXPECT_EQ(s.timeline.clips[1].name, "walk");
  EXPECT_EQ(s.timeline.clips[2].name, "walk_1");
  EXPECT_EQ(s.timeline.clips[3].name, "clip_4");
}

TEST(GlbAnimation, MorphTargetsFollowTheirWeights) {
  GlbBuilder glb = triangle_glb();
  const std::size_t up = glb.add_floats({0, 0, 1, 0, 0, 0, 0, 0, 0}, 3);
  const std::size_t right = glb.add_floats({4, 0, 0, 4, 0, 0, 4, 0, 0}, 3);
  glb.json["meshes"][0]["primitives"][0]["targets"] = {{{"POSITION", up}}, {{"POSITION", right}}};
  glb.json["meshes"][0]["weights"] = {0.5, 0};
  glb.add_channel(0, 0, "weights", {0, 0.1f}, {0, 0, 1, 0.5f});
  const Sequence s = read_as_sequence(glb);
  ASSERT_EQ(s.frames(), 2u);
  EXPECT_EQ(s.mesh.positions[0], (Vec3{0, 0, 0.5f}));
  EXPECT_EQ(s.frame(0)[0], (Vec3{0, 0, 0}));
  EXPECT_EQ(s.frame(1)[0], (Vec3{2, 0, 1}));
  EXPECT_EQ(s.frame(1)[1], (Vec3{3, 0, 0}));

  glb.json["nodes"][0]["weights"] = {0, 1};
  EXPECT_EQ(read_as_sequence(glb).mesh.positions[0], (Vec3{4, 0, 0}));
}

TEST(GlbAnimation, FramesAreTheSameForAnyThreadCount) {
  GlbBuilder glb = triangle_glb();
  glb.add_channel(0, 0, "rotation", {0, 3}, {0, 0, 0, 1, 0, 1, 0, 0});
  const auto file = glb.save();
  const auto one = std::get<Sequence>(read_glb(file, {}, {.threads = 1}));
  const auto many = std::get<Sequence>(read_glb(file, {}, {.threads = 3}));
  EXPECT_EQ(one.positions, many.positions);
}

TEST(GlbAnimation, RefusesRatesAndLengthsThatCannotBeMeant) {
  GlbBuilder glb = triangle_glb();
  glb.add_channel(0, 0, "translation", {0, 1e9f}, {0, 0, 0, 1, 0, 0});
  const auto file = glb.save();
  EXPECT_THROW(read_glb(file, {}, {}), Error);
  EXPECT_EQ(std::get<Sequence>(read_glb(file, {.fps = 1e-9}, {})).frames(), 2u);
  for (const double fps : {-1.0, std::nan(""), HUGE_VAL}) {
    try {
      read_glb(file, {.fps = fps}, {});
      FAIL() << fps;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_request);
    }
  }
}

}  // namespace
}  // namespace marrow
