#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "marrow/rig.hpp"

namespace marrow {

/// Rigid part of every joint's bind transform (without scale and skew).
std::vector<Eigen::Isometry3d> joint_frames(const Skeleton& skeleton);

}  // namespace marrow
