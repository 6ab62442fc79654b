#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "marrow/rig.hpp"

namespace marrow {

/// Every joint's place and directions in the rest pose; what its bind transform scales or skews is left out.
std::vector<Eigen::Isometry3d> joint_frames(const Skeleton& skeleton);

}  // namespace marrow
