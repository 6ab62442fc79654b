#pragma once

#include <cstddef>
#include <vector>

#include "lbs/matrices.hpp"
#include "lbs/space.hpp"
#include "marrow/rig.hpp"

namespace marrow::lbs {

/// M_j^t of all bones and frames: rows 3t to 3t + 2, columns 4j to 4j + 3.
using Bones = RowMatrix;

inline std::size_t bone_count(const Bones& bones) {
  return std::size_t(bones.cols() / 4);
}

/// All bones at rest in all frames.
Bones identity_bones(std::size_t frames, std::size_t count);

/// Axes of stretching bones, from their bind transforms.
std::vector<Eigen::Matrix3d> bind_axes(const Skeleton& skeleton);

/// Converts motion from model space to the solver's space, and back.
Bones to_bones(const Space& space, const Motion& motion);
Motion to_motion(const Space& space, const Timeline& timeline, const Bones& bones);

}  // namespace marrow::lbs
