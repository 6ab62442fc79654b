// What write_glb refuses, and what it leaves behind then.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <stop_token>

#include "marrow/error.hpp"
#include "marrow/io.hpp"
#include "support/files.hpp"
#include "support/independent_glb.hpp"
#include "support/rigs.hpp"

namespace marrow {
namespace {

using testing::IndependentGlb;

Affine still(std::size_t, const Vec3&, double) {
  return {};
}

/// Expects an error of the given kind that says `part`, and an old file left alone with nothing beside it.
void expect_refused(const Rig& rig, ErrorCode code, const std::string& part, const marrow::Run& run = {}) {
  const auto folder = testing::output_folder();
  testing::write_bytes(folder / "old.keep", "old");
  try {
    write_glb(rig, folder / "old.keep", {}, run);
    FAIL() << "was written";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
  EXPECT_EQ(testing::read_bytes(folder / "old.keep"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST(GlbWriteLimits, ARigThatBreaksItsRulesIsRefused) {
  Rig rig = testing::tube_rig({}, still);
  rig.weights.values[0] = -1;
  expect_refused(rig, ErrorCode::bad_input, "weight");
}

TEST(GlbWriteLimits, AnEmptyMeshIsRefused) {
  Rig rig;
  rig.weights.offsets = {0};
  expect_refused(rig, ErrorCode::bad_input, "no vertices");
}

TEST(GlbWriteLimits, MoreBonesThanSixteenBitsCountAreRefused) {
  const Rig rig = testing::tube_rig({.rings = 2, .sides = 3, .bones = 65537, .frames = 0, .clips = 0}, still);
  expect_refused(rig, ErrorCode::bad_request, "65536");
}

TEST(GlbWriteLimits, MoreThanFourGibibytesAreRefused) {
  // One vertex follows 4000 bones, so all 220 thousand get room for 4000, from a rig of a few megabytes.
  constexpr std::uint32_t bones = 4000, vertices = 220'000;
  Rig rig = testing::tube_rig({.rings = 2, .sides = 3, .bones = bones, .frames = 0, .clips = 0}, still);
  rig.mesh = {};
  rig.mesh.positions.resize(vertices, {0, 0, 0});
  rig.weights = {};
  rig.weights.offsets.push_back(0);
  for (std::uint32_t i = 0; i < vertices; ++i) {
    for (std::uint32_t j = 0; j < (i == 0 ? bones : 1); ++j) {
      rig.weights.bones.push_back(j);
      rig.weights.values.push_back(i == 0 ? 1.0f / bones : 1);
    }
    rig.weights.offsets.push_back(std::uint32_t(rig.weights.bones.size()));
  }
  // Nothing may be written first: there is not even a folder to write to.
  const auto file = testing::output_folder() / "missing" / "large.glb";
  try {
    write_glb(rig, file);
    FAIL() << "was written";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_request) << error.what();
    EXPECT_NE(std::string(error.what()).find("4.9 GiB"), std::string::npos) << error.what();
  }
}

TEST(GlbWriteLimits, TimesThatFallTogetherAsFloatsAreRefused) {
  Rig rig = testing::tube_rig({.frames = 3}, still);
  rig.motion.timeline.times = {1e6, 1e6 + 1.0 / 24, 1e6 + 2.0 / 24};
  expect_refused(rig, ErrorCode::bad_input, "clip0");
}

TEST(GlbWriteLimits, TimesBeforeZeroAreShiftedWithAWarning) {
  Rig rig = testing::tube_rig({.frames = 3}, still);
  rig.motion.timeline.times = {-0.5, 0, 0.25};
  std::vector<std::string> warnings;
  const marrow::Run run{.log = [&](LogLevel, std::string_view text) { warnings.emplace_back(text); }};
  const auto file = testing::output_folder() / "early.glb";
  write_glb(rig, file, {}, run);
  EXPECT_EQ(IndependentGlb(file).times(0), (std::vector<double>{0, 0.5, 0.75}));
  EXPECT_EQ(warnings.size(), 1u);
}

TEST(GlbWriteLimits, NumbersBeyondFloatsAreRefused) {
  Rig far = testing::tube_rig({}, still);
  far.motion.transforms[4](0, 3) = 1e39;
  expect_refused(far, ErrorCode::bad_input, "keys");
  Rig textured = testing::tube_rig({}, still);
  textured.mesh.uvs = {{std::numeric_limits<float>::quiet_NaN(), 0}};
  textured.mesh.corner_uvs.assign(textured.mesh.face_vertices.size(), 0);
  expect_refused(textured, ErrorCode::bad_input, "texture coordinates");
}

TEST(GlbWriteLimits, AStopLeavesNothingBehind) {
  const Rig rig = testing::tube_rig({.rings = 3000, .sides = 12}, still);
  for (const std::string_view stage : {"fitting keys", "writing"}) {
    std::stop_source source;
    const auto stop_at_stage = [&](const Progress& p) {
      if (p.stage == stage) source.request_stop();
    };
    expect_refused(rig, ErrorCode::stopped, "stopped", {.stop = source.get_token(), .progress = stop_at_stage});
  }
}

TEST(GlbWriteLimits, ProgressGoesUpToTheEnd) {
  const Rig rig = testing::tube_rig({.rings = 3000, .sides = 12}, still);
  std::vector<double> fractions;
  const marrow::Run run{.progress = [&](const Progress& p) {
    if (p.stage == "writing") fractions.push_back(p.fraction);
  }};
  write_glb(rig, testing::output_folder() / "rig.glb", {}, run);
  ASSERT_GT(fractions.size(), 10u);
  EXPECT_TRUE(std::ranges::is_sorted(fractions));
  EXPECT_EQ(fractions.back(), 1);
}

}  // namespace
}  // namespace marrow
