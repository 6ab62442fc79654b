#pragma once

#include "lbs/bones.hpp"
#include "lbs/transforms.hpp"
#include "skeleton/tree.hpp"

namespace marrow::skeleton {

/// Pulls joints to hints where the motion leaves them undetermined: sum_j stiffness_j |o_j - hint_j|^2.
struct JointAnchors {
  std::vector<Eigen::Vector3d> hints;
  std::vector<double> stiffness;  ///< 0 at roots

  double energy(const Tree& tree) const;
};
/// Stiffness: a small share of the curvature that the motion gives each joint, plus a term that grows with the error.
/// `mean_error`: mean squared error of a vertex in a frame.
JointAnchors make_anchors(const Tree& tree, const lbs::Normal& normal, const lbs::Bones& bones, double mean_error,
                          const Run& run);

/// Solves all joint positions for the rotations in `bones`; updates translations.
void solve_joint_positions(const JointAnchors& anchors, const lbs::Normal& normal, Tree& tree, lbs::Bones& bones,
                           const Run& run);

}  // namespace marrow::skeleton
