// The paper's continuous examples, against sampling.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "core/random.hpp"
#include "ddm_compression/continuous.hpp"
#include "ddm_compression/examples.hpp"
#include "ddm_compression/pose_examples.hpp"
#include "marrow/ddm.hpp"
#include "marrow/metrics.hpp"
#include "marrow/synthetic.hpp"
#include "pose/joint_frames.hpp"

namespace marrow::ddm_compression {
namespace {

constexpr double radians = std::numbers::pi / 180;

/// Samples of the six numbers of a motion that fill their cube evenly: multiples of powers of the root of x^7 = x + 1,
/// modulo 1. A hundred times fewer are needed than of independent ones.
class EvenSamples {
 public:
  double uniform(double low, double high) {
    if (next_ == 6) {
      next_ = 0;
      ++sample_;
    }
    const double whole = 0.5 + sample_ * std::pow(1.1127756842787055, -++next_);
    return low + (high - low) * (whole - std::floor(whole));
  }

 private:
  double sample_ = 0;
  int next_ = 0;
};

/// R_x R_y R_z with angles uniform in the range, and a translation uniform in a cube.
Matrix4 random_motion(const JointRange& range, double translation, auto& random) {
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
  for (int a = 0; a < 3; ++a) {
    const auto k = std::size_t(a);
    const double angle = random.uniform(range.low[k], range.high[k]) * radians;
    turn = turn * Eigen::AngleAxisd(angle, Vector3::Unit(a));
  }
  Matrix4 motion = Matrix4::Identity();
  motion.topLeftCorner<3, 3>() = turn;
  for (int a = 0; a < 3; ++a) motion(a, 3) = random.uniform(-translation, translation);
  return motion;
}

void expect_moment(const JointRange& range, double translation) {
  EvenSamples samples;
  Matrix4 sum = Matrix4::Zero();
  constexpr int count = 4000;
  for (int s = 0; s < count; ++s) {
    const Matrix4 off = random_motion(range, translation, samples) - Matrix4::Identity();
    sum += off.transpose() * off / count;
  }
  const Matrix4 formula = second_moment(range, translation);
  EXPECT_LT((formula - sum).cwiseAbs().maxCoeff(), 0.01 * std::max(formula.cwiseAbs().maxCoeff(), 0.1))
      << formula << "\n\n"
      << sum;
}

TEST(DdmCompressionContinuous, MomentsAreThoseOfSampledMotions) {
  expect_moment(JointRange::even(30), 0);
  expect_moment(JointRange::even(120), 2);
  expect_moment({{0, 0, -90}, {0, 0, 90}}, 0);        // a hinge
  expect_moment({{-10, 0, -150}, {20, 60, 0}}, 1.5);  // to one side
}

TEST(DdmCompressionContinuous, TheEvenMomentIsTheCorrectedEquation11d) {
  for (const double degrees : {30.0, 120.0}) {
    const double r = degrees * radians, s = std::sin(r) / r;
    const Matrix4 moment = second_moment(JointRange::even(degrees), 1.5);
    for (int a = 0; a < 3; ++a) EXPECT_NEAR(moment(a, a), 2 - 2 * s * s, 1e-12);
    EXPECT_NEAR(moment(3, 3), 1.5 * 1.5, 1e-12);
    EXPECT_NEAR(moment(0, 1), 0, 1e-12);
    EXPECT_NEAR(moment(0, 3), 0, 1e-12);
  }
  EXPECT_EQ(second_moment(JointRange{}, 0), Matrix4::Zero());
}

struct Arm {
  Rig rig = synthetic::arm({.vertices = 300, .frames = 2});
  DdmRig ddm = make_ddm(rig).value;
  DistinctPoints points = distinct_points(ddm, false);
};

TEST(DdmCompressionContinuous, LinearisedMultiWeightsSumToOneAndSolveTheRelaxedProblem) {
  const Arm arm;
  Random random(3);
  for (std::size_t i = 0; i < arm.points.count(); i += 29) {
    const auto linear = linearise(arm.points.centres[i], arm.points.row(i));
    Matrix4 sum = Matrix4::Zero(), blended = Matrix4::Zero(), omega_sum = Matrix4::Zero(), direct = Matrix4::Zero();
    for (std::size_t e = 0; e < linear.size(); ++e) {
      const Matrix4 m = random_motion(JointRange::even(90), 0.3, random);
      const Matrix4 omega = about(arm.points.row(i)[e].value, -arm.points.centres[i]);
      sum += linear[e].value;
      direct += m * linear[e].value;
      blended += m * omega;
      omega_sum += omega;
    }
    EXPECT_LT((sum - Matrix4::Identity()).cwiseAbs().maxCoeff(), 1e-7);
    // Eq. 3: R = (Q - q p^T)(P - p p^T)^-1 and t = q - R p.
    const Vector3 p = omega_sum.topRightCorner<3, 1>(), q = blended.topRightCorner<3, 1>();
    const Eigen::Matrix3d r = (blended.topLeftCorner<3, 3>() - q * p.transpose()) *
                              (omega_sum.topLeftCorner<3, 3>() - p * p.transpose()).inverse();
    EXPECT_LT((direct.topLeftCorner<3, 3>() - r).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LT((direct.topRightCorner<3, 1>() - (q - r * p)).norm(), 1e-6);
  }
}

/// Mean of |linearised transform of a bone u - that of a point u|^2 over poses of one joint, each joint as often.
double sampled_distance(const Arm& arm, const ContinuousExamples& options, const VirtualBone& bone, std::size_t point) {
  const Skeleton& skeleton = arm.rig.skeleton;
  const auto frames = joint_frames(skeleton);
  const RangesOfMotion ranges = default_ranges(skeleton);
  const auto a = linearise(bone.centre, bone.weights), b = linearise(arm.points.centres[point], arm.points.row(point));
  const Vector4 u = arm.points.rest.col(to_index(point));
  EvenSamples samples;
  constexpr int count = 500;
  double sum = 0;
  for (std::size_t g = 0; g < skeleton.bones(); ++g) {
    const auto follows = [&](std::uint32_t j) {
      if (!options.hierarchy) return j == g;
      std::int32_t at = std::int32_t(j);
      while (at >= 0 && std::size_t(at) != g) at = skeleton.parents[std::size_t(at)];
      return at >= 0;
    };
    Matrix4 bind = Matrix4::Identity();
    bind.topLeftCorner<3, 3>() = frames[g].linear();
    if (options.bind_pose) {
      bind.topRightCorner<3, 1>() = (frames[g].translation() - arm.points.middle) / arm.points.size;
    }
    for (int s = 0; s < count; ++s) {
      const Matrix4 m = bind * random_motion(ranges.joints[g], options.translation, samples) * bind.inverse();
      Vector4 off = Vector4::Zero();
      for (const MultiWeight& w : a) off += (follows(w.bone) ? m : Matrix4::Identity()) * (w.value * u);
      for (const MultiWeight& w : b) off -= (follows(w.bone) ? m : Matrix4::Identity()) * (w.value * u);
      sum += off.squaredNorm();
    }
  }
  return sum / (count * double(skeleton.bones()));
}

TEST(DdmCompressionContinuous, EveryMapIsTheMeanOverItsPoses) {
  const Arm arm;
  const auto member = std::uint32_t(arm.points.count() / 2);
  constexpr std::array<double, 1> whole{1};
  const VirtualBone bone = mean_bone(arm.points, std::span(&member, 1), whole);
  ContinuousExamples all, flat, origin, moving;
  flat.hierarchy = false;
  origin.bind_pose = false;
  moving.translation = 0.4;
  for (const ContinuousExamples& options : {all, flat, origin, moving}) {
    const LinearExamples examples(arm.points, arm.rig.skeleton, default_ranges(arm.rig.skeleton), options, {});
    Matrix transform(examples.rows(), 4);
    examples.transform(bone, transform);
    for (const std::size_t i : {std::size_t(5), arm.points.count() / 2 + 40}) {
      const double formula =
          (transform * arm.points.rest.col(to_index(i)) - examples.targets().col(to_index(i))).squaredNorm();
      const double sampled = sampled_distance(arm, options, bone, i);
      ASSERT_GT(sampled, 0);
      EXPECT_NEAR(formula / sampled, 1, 0.03) << options.hierarchy << options.bind_pose << options.translation;
    }
  }
}

TEST(DdmCompressionContinuous, MixedInPosesAreRowsOfTheirOwn) {
  const Arm arm;
  ContinuousExamples options;
  options.poses = sample_poses(arm.rig.skeleton, default_ranges(arm.rig.skeleton), 7, 3);
  options.poses_share = 1;
  const LinearExamples examples(arm.points, arm.rig.skeleton, default_ranges(arm.rig.skeleton), options, {});
  const PoseSet poses(arm.points, *options.poses);
  const std::size_t i = 17;
  double sum = 0;
  for (std::size_t t = 0; t < poses.count(); ++t) {
    Vector3 place = Vector3::Zero();
    for (const MultiWeight& w : linearise(arm.points.centres[i], arm.points.row(i))) {
      place += poses.at(t, w.bone) * (w.value * arm.points.rest.col(to_index(i)));
    }
    sum += place.squaredNorm() / double(poses.count());
  }
  EXPECT_NEAR(examples.squares()[i], sum, 1e-12 * sum);
}

}  // namespace
}  // namespace marrow::ddm_compression
