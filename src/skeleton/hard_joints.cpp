// Method (ours): joint positions under hard joints, all at once: with fixed rotations they are linear least squares.
// The solver of the slides (Le & Deng 2014; see tree.cpp) handles one pair of bones.
#include "skeleton/hard_joints.hpp"

#include <algorithm>

#include "core/factor.hpp"
#include "lbs/bones.hpp"
#include "lbs/matrices.hpp"
#include "lbs/products.hpp"
#include "lbs/transforms.hpp"
#include "skeleton/hard_motion.hpp"

namespace marrow::skeleton {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;

/// Stiffness of the anchors: a share of the curvature, plus the error of so many vertices for a distance of the ball's
/// diameter.
constexpr double anchor_share = 1e-4, anchor_vertices = 1e4;

/// Least squares in the joint positions. T_j = x + sum over c on the path from root to j of (R_parent(c) - R_c) o_c;
/// the root's translation x is eliminated.
struct JointProblem {
  lbs::RowMatrix differences;  ///< 3 frames x 3 bones: R_parent - R_j, 0 at roots
  MatrixXd below;              ///< bones x bones: 1 if bone j is below joint c; roots stand for x
  std::vector<Index> roots, joints;
  MatrixXd system;  ///< 3 bones x 3 bones; rows and columns of roots are 0
  MatrixXd shares;  ///< roots x bones: x as a function of the part below each joint

  JointProblem(const Tree& tree, const lbs::Normal& normal, const lbs::Bones& bones, const Run& run) {
    const std::size_t count = tree.bones();
    differences = lbs::RowMatrix::Zero(bones.rows(), at(count, 3));
    below = MatrixXd::Identity(at(count, 1), at(count, 1));
    for (std::size_t e = count; e-- > 0;) {
      const std::size_t j = tree.order[e], p = tree.parents[j];
      (p == none ? roots : joints).push_back(Index(j));
      if (p == none) continue;
      below.col(at(p, 1)) += below.col(at(j, 1));
      differences.middleCols<3>(at(j, 3)) = bones.middleCols<3>(at(p, 4)) - bones.middleCols<3>(at(j, 4));
    }
    MatrixXd masses(at(count, 1), at(count, 1));
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t l = 0; l < count; ++l) masses(at(j, 1), at(l, 1)) = normal.shared(j, l);
    }
    const MatrixXd together = below.transpose() * masses * below;
    shares = solve_symmetric(together(roots, roots), together(roots, Eigen::all));
    const MatrixXd left = together - together(Eigen::all, roots) * shares;
    const lbs::RowMatrix products = lbs::transposed_product(differences, differences, run);
    system = MatrixXd::Zero(at(count, 3), at(count, 3));
    for (const Index c : joints) {
      for (const Index e : joints) system.block<3, 3>(3 * c, 3 * e) = left(c, e) * products.block<3, 3>(3 * c, 3 * e);
    }
  }

  /// Right-hand side: target translations (3 frames x bones) minus those due to rotations, summed below each joint,
  /// with x eliminated.
  Eigen::VectorXd right_hand_side(const lbs::Normal& normal, const lbs::Bones& bones) const {
    const std::size_t count = normal.bones;
    MatrixXd wanted(bones.rows(), at(count, 1));
    for (std::size_t j = 0; j < count; ++j) {
      wanted.col(at(j, 1)) = normal.n.col(at(j, 4) + 3);
      for (std::size_t l = 0; l < count; ++l) {
        if (!normal.linked(j, l)) continue;
        const Vector3d first = normal.block(l, j).block<3, 1>(0, 3);
        wanted.col(at(j, 1)) -= bones.middleCols<3>(at(l, 4)) * first;
      }
    }
    const MatrixXd summed = wanted * below;
    const MatrixXd left = summed - summed(Eigen::all, roots) * shares;
    Eigen::VectorXd out = Eigen::VectorXd::Zero(at(count, 3));
    for (const Index c : joints) out.segment<3>(3 * c) = differences.middleCols<3>(3 * c).transpose() * left.col(c);
    return out;
  }
};

/// Moves the hint along its hinge axis (least curvature) to the level of the next joint. At a hip, the vertices that
/// follow both bones lie on one side of it; the knee shows how far out the leg is.
Vector3d level_with(const Vector3d& next, const Eigen::Matrix3d& curvature, const Vector3d& hint) {
  const Vector3d axis = spectrum3(curvature).vectors.col(0);
  return axis.allFinite() ? Vector3d(hint + axis.dot(next - hint) * axis) : hint;
}

}  // namespace

double JointAnchors::energy(const Tree& tree) const {
  double sum = 0;
  for (std::size_t j = 0; j < tree.bones(); ++j) sum += stiffness[j] * (tree.joints[j] - hints[j]).squaredNorm();
  return sum;
}

JointAnchors make_anchors(const Tree& tree, const lbs::Normal& normal, const lbs::Bones& bones, double mean_error,
                          const Run& run) {
  const JointProblem problem(tree, normal, bones, run);
  JointAnchors anchors{tree.joints, std::vector<double>(tree.bones(), 0)};
  std::vector<std::size_t> heaviest(tree.bones(), none);  // child
  for (const Index c : problem.joints) {                  // children before parents
    const auto j = std::size_t(c);
    const std::size_t parent = tree.parents[j];
    const Eigen::Matrix3d curvature = problem.system.block<3, 3>(3 * c, 3 * c);
    anchors.hints[j] = joint_hint(normal, j, parent, Pull::overlap);
    if (heaviest[j] != none) anchors.hints[j] = level_with(anchors.hints[heaviest[j]], curvature, anchors.hints[j]);
    anchors.stiffness[j] = anchor_share * curvature.trace() / 3 + anchor_vertices * mean_error;
    if (heaviest[parent] == none || mass(normal, j) > mass(normal, heaviest[parent])) heaviest[parent] = j;
  }
  return anchors;
}

void solve_joint_positions(const JointAnchors& anchors, const lbs::Normal& normal, Tree& tree, lbs::Bones& bones,
                           const Run& run) {
  JointProblem problem(tree, normal, bones, run);
  Eigen::VectorXd right = problem.right_hand_side(normal, bones);
  const double least = 1e-12 * (1 + problem.system.diagonal().maxCoeff());
  for (std::size_t j = 0; j < tree.bones(); ++j) {
    // Roots, and joints without relative rotation, stay.
    const double stay = anchors.stiffness[j] > least ? anchors.stiffness[j] : least;
    const Vector3d& to = anchors.stiffness[j] > least ? anchors.hints[j] : tree.joints[j];
    problem.system.diagonal().segment<3>(at(j, 3)).array() += stay;
    right.segment<3>(at(j, 3)) += stay * to;
  }
  const Eigen::VectorXd o = solve_symmetric(problem.system, right);
  for (const Index c : problem.joints) tree.joints[std::size_t(c)] = o.segment<3>(3 * c);
  apply_joints(tree, bones, run);
  // Updates the translations of the roots: each connected part as a whole.
  solve_hard_motion(tree, normal, 0, bones, run);
}

}  // namespace marrow::skeleton
