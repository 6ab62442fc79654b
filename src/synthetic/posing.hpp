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
  Point place;  ///< position in the rest pose
};

/// A pose of a figure: shift of the root, and the rotation of every bone about its joint, relative to its parent.
struct Stance {
  explicit Stance(std::size_t bones) : turns(bones, Eigen::Quaterniond::Identity()) {}

  Point shift = Point::Zero();
  std::vector<Eigen::Quaterniond> turns;
};

/// Rotation by `degrees` about a unit axis.
Eigen::Quaterniond turn(double degrees, const Point& axis);

/// Rigid transform that rotates about `joint` and moves it to `place`.
Affine rigid(const Eigen::Quaterniond& turn, const Point& joint, const Point& place);

/// A skeleton whose bind transforms are translations.
Skeleton make_skeleton(std::span<const Joint> joints);

/// Forward kinematics: writes one frame of Motion. Every transform is a rotation (from a normalised quaternion) about
/// the joint, which stays attached to the parent.
void pose(const Skeleton& skeleton, const Stance& stance, std::span<Affine> transforms);

/// The motion with one stance per frame.
Motion make_motion(const Skeleton& skeleton, Timeline timeline, std::span<const Stance> stances);

}  // namespace marrow::synthetic
