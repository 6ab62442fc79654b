#include "io/units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/random.hpp"
#include "marrow/deform.hpp"
#include "support/expect_error.hpp"

namespace marrow {
namespace {

Vec3 random_point(Random& random) {
  return {float(random.normal()), float(random.normal()), float(random.normal())};
}

Affine random_rigid(Random& random) {
  double q[4], length = 0;
  for (double& v : q) v = random.normal();
  for (const double v : q) length += v * v;
  for (double& v : q) v /= std::sqrt(length);
  const auto [w, x, y, z] = q;
  return {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), random.normal(), 2 * (x * y + w * z),
           1 - 2 * (x * x + z * z), 2 * (y * z - w * x), random.normal(), 2 * (x * z - w * y), 2 * (y * z + w * x),
           1 - 2 * (x * x + y * y), random.normal()}};
}

/// Two bones that share every vertex.
Rig random_rig(bool rigid) {
  Random random(5);
  Rig rig;
  rig.weights.offsets = {0};
  for (std::uint32_t i = 0; i < 100; ++i) {
    rig.mesh.positions.push_back(random_point(random));
    const auto w = float(random.uniform(0.1, 0.9));
    rig.weights.bones.insert(rig.weights.bones.end(), {0, 1});
    rig.weights.values.insert(rig.weights.values.end(), {w, 1 - w});
    rig.weights.offsets.push_back(2 * i + 2);
  }
  rig.mesh.normals = {{0, 0, 1}, {0, 1, 0}};
  rig.skeleton = {{"a", "b"}, {-1, 0}, {random_rigid(random), random_rigid(random)}};
  rig.motion = {Timeline::uniform(3, 30), 2, {}};
  for (int k = 0; k < 6; ++k) {
    rig.motion.transforms.push_back(random_rigid(random));
    if (!rigid) {
      for (double& v : rig.motion.transforms.back().m) v += 0.3 * random.normal();
    }
  }
  validate(rig);
  return rig;
}

TEST(Units, KnownConversion) {
  Sequence sequence{{}, Timeline::uniform(2, 30), {}};
  sequence.mesh.positions = {{1, 2, 3}};
  sequence.mesh.normals = {{0, 0, 1}};
  sequence.positions = {{4, 5, 6}, {-7, 8, -9}};
  convert_units(sequence, {.up = 'z', .unit = 0.5}, {});
  EXPECT_EQ(sequence.mesh.positions[0], (Vec3{0.5f, 1.5f, -1}));
  EXPECT_EQ(sequence.positions[0], (Vec3{2, 3, -2.5f}));
  EXPECT_EQ(sequence.positions[1], (Vec3{-3.5f, -4.5f, -4}));
  EXPECT_EQ(sequence.mesh.normals[0], (Vec3{0, 1, 0})) << "up stays up, and normals keep their length";
}

TEST(Units, DeformingCommutesWithConverting) {
  for (const ReadOptions& options :
       {ReadOptions{.up = 'z'}, ReadOptions{.unit = 100}, ReadOptions{.up = 'z', .unit = 0.0254}}) {
    for (const bool rigid : {false, true}) {
      Rig rig = random_rig(rigid);
      Sequence expected = bake(rig);
      convert_units(expected, options, {});
      convert_units(rig, options);
      validate(rig);
      const Sequence converted = bake(rig);
      for (std::size_t k = 0; k < expected.positions.size(); ++k) {
        const Vec3 &a = converted.positions[k], &b = expected.positions[k];
        const double tolerance = 2e-6 * options.unit;
        EXPECT_NEAR(a.x, b.x, tolerance);
        EXPECT_NEAR(a.y, b.y, tolerance);
        EXPECT_NEAR(a.z, b.z, tolerance);
      }
    }
  }
}

TEST(Units, BindAndMotionAreConjugated) {
  const Rig before = random_rig(true);
  Rig after = before;
  const double unit = 0.01;
  convert_units(after, {.up = 'z', .unit = unit});
  const Affine c{{unit, 0, 0, 0, 0, 0, unit, 0, 0, -unit, 0, 0}};
  const auto expect_conjugate = [&](const Affine& m, const Affine& original) {
    const Affine expected = c * original * inverse(c);
    for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(m.m[k], expected.m[k], 1e-14);
    EXPECT_LT(orthonormality_defect(m), 1e-14) << "rigid bones stay rigid";
  };
  for (std::size_t j = 0; j < 2; ++j) expect_conjugate(after.skeleton.bind[j], before.skeleton.bind[j]);
  for (std::size_t k = 0; k < 6; ++k) expect_conjugate(after.motion.transforms[k], before.motion.transforms[k]);
}

TEST(Units, NothingToDoChangesNothing) {
  Rig rig = random_rig(false);
  const Rig before = rig;
  convert_units(rig, {});
  EXPECT_TRUE(rig == before);
}

TEST(Units, RefusesUnitsThatOverflow) {
  Rig rig = random_rig(false);
  Sequence sequence = bake(rig);
  const ReadOptions enormous{.unit = 1e300};
  testing::expect_error(ErrorCode::bad_request, {"unit", "1e+300"}, [&] { convert_units(rig, enormous); });
  testing::expect_error(ErrorCode::bad_request, {"unit", "1e+300"}, [&] { convert_units(sequence, enormous, {}); });
}

TEST(Units, RefusesOptionsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto expect_refused = [](const char* option, const ReadOptions& options) {
    testing::expect_error(ErrorCode::bad_request, {option}, [&] { check_options(options); });
  };
  for (const char up : {'x', 'Y', '\0'}) expect_refused("up", {.up = up});
  for (const double unit : {0.0, -1.0, nan, inf}) expect_refused("unit", {.unit = unit});
  for (const double fps : {-1.0, nan, inf, 1e-300}) expect_refused("fps", {.fps = fps});
  for (const double fps : {0.0, 23.976, 1000.0}) EXPECT_NO_THROW(check_options({.fps = fps}));
}

}  // namespace
}  // namespace marrow
