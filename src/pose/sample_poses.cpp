#include <cmath>
#include <numbers>

#include "core/eigen_affine.hpp"
#include "core/random.hpp"
#include "marrow/motion_range.hpp"
#include "pose/joint_frames.hpp"

namespace marrow {
namespace {

constexpr double radians = std::numbers::pi / 180;

Eigen::Matrix3d random_turn(const JointRange& range, Random& random) {
  Eigen::Vector3d direction = Eigen::Vector3d::Zero();
  for (std::size_t a = 0; a < 3; ++a) {
    // Draws for locked axes too, so that other joints do not depend on which axes are free.
    const double value = random.normal();
    const bool down = range.low[a]<0, up = range.high[a]> 0;
    // An axis that is free to one side turns to that side only.
    if (down || up) direction[int(a)] = down && up ? value : up ? std::abs(value) : -std::abs(value);
  }
  const double share = random.uniform();
  if (!(direction.norm() > 0)) return Eigen::Matrix3d::Identity();
  direction.normalize();
  Eigen::Vector3d turn;
  for (int a = 0; a < 3; ++a) {
    const auto axis = std::size_t(a);
    turn[a] = share * std::abs(direction[a]) * (direction[a] < 0 ? range.low[axis] : range.high[axis]) * radians;
  }
  const double angle = turn.norm();
  return angle > 0 ? Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix()
                   : Eigen::Matrix3d(Eigen::Matrix3d::Identity());
}

}  // namespace

Motion sample_poses(const Skeleton& skeleton, const RangesOfMotion& ranges, std::size_t count, std::uint64_t seed) {
  validate(skeleton);
  validate(ranges, skeleton);
  const std::vector<Eigen::Isometry3d> frames = joint_frames(skeleton);
  Random random(seed);
  Motion motion{Timeline::uniform(count, 30, "poses"), skeleton.bones(), {}};
  motion.transforms.reserve(count * skeleton.bones());
  std::vector<Eigen::Isometry3d> pose(skeleton.bones());
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t j = 0; j < skeleton.bones(); ++j) {
      const Eigen::Isometry3d about_joint =
          frames[j] * Eigen::Isometry3d(random_turn(ranges.joints[j], random)) * frames[j].inverse();
      const std::int32_t parent = skeleton.parents[j];
      pose[j] = parent < 0 ? about_joint : pose[std::size_t(parent)] * about_joint;
      motion.transforms.push_back(to_affine(pose[j].linear(), Eigen::Vector3d(pose[j].translation())));
    }
  }
  return motion;
}

}  // namespace marrow
