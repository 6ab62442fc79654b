#pragma once

#include <cstddef>
#include <vector>

#include "lbs/matrices.hpp"
#include "lbs/space.hpp"
#include "marrow/rig.hpp"

namespace marrow::lbs {

/// M_j^t of all bones and frames: rows 3t .. 3t + 2, columns 4j .. 4j + 3.
using Bones = RowMatrix;

inline std::size_t bone_count(const Bones& bones) {
  return static_cast<std::size_t>(bones.cols() / 4);
}

/// Bones that do not move.
Bones identity_bones(std::size_t frames, std::size_t count);

/// What the bones stretch along, where they do that.
std::vector<Eigen::Matrix3d> bind_axes(const Skeleton& skeleton);

/// A motion in the model's space, in the solver's, and back.
Bones to_bones(const Space& space, const Motion& motion);
Motion to_motion(const Space& space, const Timeline& timeline, const Bones& bones);

}  // namespace marrow::lbs
