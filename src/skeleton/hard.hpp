#pragma once

#include "lbs/bones.hpp"
#include "lbs/transforms.hpp"
#include "skeleton/tree.hpp"

namespace marrow::skeleton {

/// Where block k begins, of blocks that are `width` wide.
inline Eigen::Index at(std::size_t k, std::size_t width) {
  return static_cast<Eigen::Index>(k * width);
}

/// Draws the joints to where they belong in directions that the motion leaves open: sum_j stiffness_j |o_j - hint_j|^2.
struct JointAnchors {
  std::vector<Eigen::Vector3d> hints;
  std::vector<double> stiffness;  ///< 0 at roots

  double energy(const Tree& tree) const;
};
/// As stiff as a small share of what the motion itself says about each joint, and stiffer where it says little beside
/// the error. `mean_error`: squared, of a vertex in a frame.
JointAnchors make_anchors(const Tree& tree, const lbs::Normal& normal, const lbs::Bones& bones, double mean_error,
                          const Run& run);

/// Forward kinematics: every bone's translation from its parent's, so that both carry the joint to the same place.
/// T_j = T_p + (R_p - R_j) o_j. Rotations, and the translations of roots, stay.
void apply_joints(const Tree& tree, lbs::Bones& bones, const Run& run);

/// The best rotations of all bones and translations of the roots under hard joints, from those in `bones`, by at most
/// `steps` damped Gauss-Newton steps per frame. The energy of no frame rises. `bones` obeys the joints afterwards.
void solve_hard_motion(const Tree& tree, const lbs::Normal& normal, int steps, lbs::Bones& bones, const Run& run);

/// The best joint positions for the rotations in `bones`, all together; the roots' translations follow.
void solve_joint_positions(const JointAnchors& anchors, const lbs::Normal& normal, Tree& tree, lbs::Bones& bones,
                           const Run& run);

}  // namespace marrow::skeleton
