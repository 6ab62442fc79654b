#pragma once

#include <Eigen/Geometry>
#include <span>
#include <string>
#include <vector>

#include "synthetic/common.hpp"

namespace marrow::synthetic {

struct Joint {
  std::string name;
  int parent;   ///< index of an earlier joint, -1 at the root
  Point place;  ///< in the rest pose
};

/// How a figure stands: the root's shift and every bone's turn relative to its parent, about its own joint.
struct Stance {
  explicit Stance(std::size_t bones) : turns(bones, Eigen::Quaterniond::Identity()) {}

  Point shift = Point::Zero();
  std::vector<Eigen::Quaterniond> turns;
};

/// Turn by `degrees` about an axis of length 1.
Eigen::Quaterniond turn(double degrees, const Point& axis);

/// Rigid motion that turns about `joint` and takes it to `place`.
Affine rigid(const Eigen::Quaterniond& turn, const Point& joint, const Point& place);

/// Bones with axes parallel to the model's in the rest pose.
Skeleton make_skeleton(std::span<const Joint> joints);

/// Forward kinematics: fills one frame of Motion. Every transform is a rotation (from a normalised quaternion) about
/// the joint, which stays attached to the parent.
void pose(const Skeleton& skeleton, const Stance& stance, std::span<Affine> transforms);

/// The motion of a figure, one stance per frame.
Motion make_motion(const Skeleton& skeleton, Timeline timeline, std::span<const Stance> stances);

}  // namespace marrow::synthetic
