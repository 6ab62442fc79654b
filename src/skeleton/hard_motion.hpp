#pragma once

#include "lbs/bones.hpp"
#include "lbs/transforms.hpp"
#include "skeleton/tree.hpp"

namespace marrow::skeleton {

/// Offset of block k of blocks of size `width`.
inline Eigen::Index at(std::size_t k, std::size_t width) {
  return Eigen::Index(k * width);
}

/// Forward kinematics: T_j = T_p + (R_p - R_j) o_j, so that a bone and its parent agree at the joint. Keeps rotations
/// and the roots' translations.
void apply_joints(const Tree& tree, lbs::Bones& bones, const Run& run);

/// Optimises all rotations and the roots' translations under hard joints, starting from `bones`: at most `steps` damped
/// Gauss-Newton steps per frame. The energy of no frame rises. `bones` obeys the joints afterwards.
void solve_hard_motion(const Tree& tree, const lbs::Normal& normal, int steps, lbs::Bones& bones, const Run& run);

}  // namespace marrow::skeleton
