#include "marrow/motion_range.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "marrow/error.hpp"
#include "marrow/io.hpp"
#include "marrow/synthetic.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/fuzz.hpp"

namespace marrow {
namespace {

using testing::expect_error;

Skeleton hinges() {
  return {{"hips", "knee", "ankle"},
          {-1, 0, 1},
          {Affine::translation(0, 2, 0), Affine::translation(0, 1, 0), Affine::translation(0, 0, 0)}};
}

TEST(MotionRange, DefaultsAreStiffInTheTrunkAndSuppleElsewhere) {
  const RangesOfMotion ranges = default_ranges(hinges());
  EXPECT_EQ(ranges.joints[0], JointRange::even(30));
  EXPECT_EQ(ranges.joints[1], JointRange::even(120));
}

TEST(MotionRange, SampledPosesKeepWithinTheirRangesAndReachThem) {
  const Skeleton skeleton = hinges();
  RangesOfMotion ranges = default_ranges(skeleton);
  ranges.joints[1] = {{0, 0, 0}, {140, 0, 0}};    // a knee
  ranges.joints[2] = {{-20, -5, 0}, {45, 5, 0}};  // an ankle
  const Motion poses = sample_poses(skeleton, ranges, 4000, 3);
  validate(poses);
  EXPECT_EQ(poses.frames(), 4000u);
  const RangesOfMotion seen = ranges_of(skeleton, poses);
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_GE(seen.joints[j].low[a], ranges.joints[j].low[a] - 1e-9);
      EXPECT_LE(seen.joints[j].high[a], ranges.joints[j].high[a] + 1e-9);
      EXPECT_LE(seen.joints[j].low[a], 0.9 * ranges.joints[j].low[a]);
      EXPECT_GE(seen.joints[j].high[a], 0.9 * ranges.joints[j].high[a]);
    }
  }
  // A hinge that is free to one side is bent in every pose, by 70 degrees in the mean.
  double bent = 0;
  for (std::size_t t = 0; t < poses.frames(); ++t) {
    const Affine turn = inverse(poses.frame(t)[0]) * poses.frame(t)[1];
    bent += std::acos(std::clamp((turn(0, 0) + turn(1, 1) + turn(2, 2) - 1) / 2, -1.0, 1.0)) * 180 / std::numbers::pi;
  }
  EXPECT_NEAR(bent / double(poses.frames()), 70, 2);
  // Joints hold together: the ankle is at the same place for the shin and the foot.
  for (std::size_t t = 0; t < 10; ++t) {
    const auto a = transform(poses.frame(t)[1], Vec3{0, 0, 0}), b = transform(poses.frame(t)[2], Vec3{0, 0, 0});
    EXPECT_LT(std::hypot(a.x - b.x, a.y - b.y, a.z - b.z), 1e-6);
  }
  EXPECT_EQ(sample_poses(skeleton, ranges, 5, 3).transforms, sample_poses(skeleton, ranges, 5, 3).transforms);
  EXPECT_NE(sample_poses(skeleton, ranges, 5, 3).transforms, sample_poses(skeleton, ranges, 5, 4).transforms);
}

TEST(MotionRange, AnEvenRangeTurnsUniformlyInDirectionAndAngle) {
  const Skeleton one{{"ball"}, {-1}, {Affine{}}};
  const Motion poses = sample_poses(one, {{JointRange::even(120)}}, 20000);
  double angles = 0, squares = 0;
  Eigen::Vector3d axes = Eigen::Vector3d::Zero();
  for (std::size_t t = 0; t < poses.frames(); ++t) {
    Eigen::Matrix3d m;
    for (int r = 0; r < 3; ++r) {
      for (int k = 0; k < 3; ++k) m(r, k) = poses.frame(t)[0](std::size_t(r), std::size_t(k));
    }
    const Eigen::AngleAxisd turn(m);
    angles += turn.angle() * 180 / std::numbers::pi;
    squares += std::pow(turn.angle() * 180 / std::numbers::pi, 2);
    axes += turn.axis().cwiseAbs2();
  }
  const auto n = double(poses.frames());
  EXPECT_NEAR(angles / n, 60, 1);
  EXPECT_NEAR(squares / n, 4800, 100);  // 120^2 / 3
  for (int a = 0; a < 3; ++a) EXPECT_NEAR(axes[a] / n, 1.0 / 3, 0.01);
}

TEST(MotionRange, AClipGivesItsRanges) {
  const Rig bar = synthetic::bar({.vertices = 100, .frames = 80});
  const RangesOfMotion ranges = ranges_of(bar.skeleton, bar.motion);
  EXPECT_EQ(ranges.joints[0], JointRange{});
  EXPECT_NEAR(ranges.joints[1].high[2], 90, 0.5);  // the bend about z; the twist about x goes all the way round
  EXPECT_NEAR(std::max(ranges.joints[1].high[0], -ranges.joints[1].low[0]), 180, 0.5);
  EXPECT_NEAR(ranges.joints[1].high[1], 0, 1e-6);
}

TEST(MotionRange, FilesAreReadAndWrittenAndFaultsAreNamed) {
  const Skeleton skeleton = hinges();
  const auto file = testing::output_folder() / "ranges.json";
  write_text(R"({"default": 45, "knee": {"x": [0, 140]}, "ankle": 20})", file);
  RangesOfMotion ranges = read_ranges(file, skeleton);
  EXPECT_EQ(ranges.joints[0], JointRange::even(45));
  EXPECT_EQ(ranges.joints[1], (JointRange{{0, 0, 0}, {140, 0, 0}}));
  EXPECT_EQ(ranges.joints[2], JointRange::even(20));
  write_text(to_json(ranges, skeleton), file);
  EXPECT_EQ(read_ranges(file, skeleton), ranges);

  const auto refuse = [&](const std::string& text, const std::string& part) {
    write_text(text, file);
    expect_error(ErrorCode::bad_file, {"ranges.json", part}, [&] { read_ranges(file, skeleton); });
  };
  refuse("[]", "not a JSON object");
  refuse("{", "not a JSON object");
  refuse(R"({"elbow": 3})", "elbow: no bone has this name");
  refuse(R"({"knee": "far"})", "knee");
  refuse(R"({"knee": 181})", "0 to 180");
  refuse(R"({"knee": {"w": [0, 1]}})", "axes are x, y and z");
  refuse(R"({"knee": {"x": [0]}})", "[low, high]");
  refuse(R"({"knee": {"x": [10, 20]}})", "-180 to 0");
  expect_error(ErrorCode::bad_input, {"1 ranges"}, [&] { sample_poses(skeleton, {{JointRange::even(1)}}, 1); });
}

TEST(MotionRange, SurvivesAnyBytes) {
  const Skeleton skeleton = hinges();
  const auto file = testing::output_folder() / "ranges.json";
  const std::string sample = R"({"default": 45, "knee": {"x": [0, 140.5]}, "ankle": {"y": [-1e1, 2]}})";
  const auto read = [&](const std::string& bytes) {
    testing::replace_file(file, bytes);
    validate(read_ranges(file, skeleton), skeleton);
    return Mesh{};
  };
  testing::try_truncations(sample, read);
  testing::try_flips(sample, read, 500);
}

}  // namespace
}  // namespace marrow
