// Method (ours): rotations under hard joints, by damped Gauss-Newton per frame. Le & Deng 2014 has joints as a penalty
// E_J. All frames share the quadratic form of the energy in the rotations, because joints are fixed at rest.
#include "skeleton/hard_motion.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/factor.hpp"
#include "core/parallel.hpp"
#include "lbs/bones.hpp"
#include "lbs/transforms.hpp"

namespace marrow::skeleton {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;

/// A: four rows per bone; three columns per bone, then one per root. Transforms are linear in the rotations and the
/// roots' translations x: with X = [R_0 ... R_B-1 x], [M_0 ... M_B-1] = X A^T, and A holds only joints at rest. The
/// energy of a frame is tr(X Q X^T) - 2 tr(X P^T) with Q = A^T H A for all frames. Transforms are linear in the
/// rotations and the roots' translations x: with X = [R_0 ... R_B-1 x], [M_0 ... M_B-1] = X A^T, and A holds only
/// joints at rest. The energy of a frame is tr(X Q X^T) - 2 tr(X P^T) with Q = A^T H A for all frames.
MatrixXd chain_matrix(const Tree& tree) {
  const std::size_t bones = tree.bones();
  const auto roots = std::size_t(std::ranges::count(tree.parents, none));
  MatrixXd a = MatrixXd::Zero(at(bones, 4), at(bones, 3) + Index(roots));
  Index root = at(bones, 3);
  for (const std::size_t j : tree.order) {
    auto translation = a.row(at(j, 4) + 3);
    if (tree.is_root(j)) {
      translation[root++] = 1;
    } else {
      const std::size_t p = tree.parents[j];
      translation = a.row(at(p, 4) + 3);
      translation.segment<3>(at(p, 3)) += tree.joints[j].transpose();
      translation.segment<3>(at(j, 3)) -= tree.joints[j].transpose();
    }
    a.block<3, 3>(at(j, 4), at(j, 3)).setIdentity();
  }
  return a;
}

MatrixXd dense(const lbs::Normal& normal) {
  MatrixXd h = MatrixXd::Zero(at(normal.bones, 4), at(normal.bones, 4));
  for (std::size_t j = 0; j < normal.bones; ++j) {
    for (std::size_t l = 0; l < normal.bones; ++l) {
      if (normal.linked(j, l)) h.block<4, 4>(at(j, 4), at(l, 4)) = normal.block(j, l);
    }
  }
  return h;
}

/// The energy as a function of the rotations, with optimal translations.
struct RotationProblem {
  MatrixXd chain;  ///< A
  MatrixXd q;      ///< 3 bones x 3 bones
  MatrixXd p;      ///< 3 frames x 3 bones
  MatrixXd fixed;  ///< 3 frames x roots: translations are fixed - R coupled
  MatrixXd coupled;

  RotationProblem(const Tree& tree, const lbs::Normal& normal) : chain(chain_matrix(tree)) {
    const Index turning = at(tree.bones(), 3), roots = chain.cols() - turning;
    const MatrixXd whole = chain.transpose() * dense(normal) * chain;
    const MatrixXd targets = normal.n * chain;
    const MatrixXd inverse = solve_symmetric(whole.bottomRightCorner(roots, roots), MatrixXd::Identity(roots, roots));
    coupled = whole.topRightCorner(turning, roots) * inverse;
    fixed = targets.rightCols(roots) * inverse;
    q = whole.topLeftCorner(turning, turning) - coupled * whole.bottomLeftCorner(roots, turning);
    p = targets.leftCols(turning) - fixed * whole.bottomLeftCorner(roots, turning);
  }
};

/// One Newton step towards the nearest orthonormal matrix: removes rounding errors.
Matrix3d orthonormal(const Matrix3d& r) {
  return r * (1.5 * Matrix3d::Identity() - 0.5 * r.transpose() * r);
}

/// Damped Gauss-Newton for one frame, with updates R_j <- exp([d_j]) R_j.
class FrameSolver {
 public:
  FrameSolver(const RotationProblem& problem, std::size_t t)
      : problem_(problem), p_(problem.p.middleRows<3>(at(t, 3))) {}

  void solve(MatrixXd& r, int steps) {
    double energy = energy_of(r);
    double damping = 1e-6;
    const Index count = r.cols() / 3;
    for (int step = 0; step < steps; ++step) {
      linearise(r);
      bool better = false;
      double gain = 0;
      for (int attempt = 0; attempt < 6 && !better; ++attempt) {
        damped_ = hessian_;
        damped_.diagonal() += damping * hessian_.diagonal();
        damped_.diagonal().array() += 1e-12;
        factor_.compute(damped_);
        change_ = -gradient_;
        factor_.solve_in_place(change_);
        next_.resize(3, r.cols());
        for (Index j = 0; j < count; ++j) {
          const Vector3d turn = change_.segment<3>(3 * j);
          const double angle = turn.norm();
          const Vector3d axis = angle > 0 ? Vector3d(turn / angle) : Vector3d::UnitX();
          next_.middleCols<3>(3 * j) =
              orthonormal(Eigen::AngleAxisd(angle, axis).toRotationMatrix() * r.middleCols<3>(3 * j));
        }
        const double reached = energy_of(next_);
        better = reached < energy;
        if (better) {
          gain = energy - reached;
          energy = reached;
          r.swap(next_);
          damping = std::max(1e-9, 0.1 * damping);
        } else {
          damping = std::max(1e-4, 10 * damping);
        }
      }
      if (!better || gain < 1e-10 * scale_) return;
    }
  }

 private:
  /// R Q, one row at a time: a matrix product with three rows is slow. Q is symmetric.
  void multiply(const MatrixXd& r) {
    product_.resize(3, r.cols());
    for (Index row = 0; row < 3; ++row) {
      row_ = r.row(row).transpose();
      column_.noalias() = problem_.q * row_;
      product_.row(row) = column_.transpose();
    }
  }

  double energy_of(const MatrixXd& r) {
    multiply(r);
    scale_ = (product_.array() * r.array()).sum();
    return scale_ - 2 * (p_.array() * r.array()).sum();
  }

  void linearise(const MatrixXd& r) {
    const Index count = r.cols() / 3;
    hessian_.resize(3 * count, 3 * count);
    gradient_.resize(3 * count);
    multiply(r);
    product_ -= p_;
    turned_.resize(3 * count, 3 * count);
    for (Index j = 0; j < count; ++j) {
      const Matrix3d w = product_.middleCols<3>(3 * j) * r.middleCols<3>(3 * j).transpose();
      gradient_.segment<3>(3 * j) << w(2, 1) - w(1, 2), w(0, 2) - w(2, 0), w(1, 0) - w(0, 1);
      turned_.middleRows<3>(3 * j).noalias() = r.middleCols<3>(3 * j).lazyProduct(problem_.q.middleRows<3>(3 * j));
    }
    // tr([a] S [b]^T) = a . (tr(S) 1 - S^T) b with S = R_j Q_jk R_k^T.
    for (Index j = 0; j < count; ++j) {
      for (Index l = j; l < count; ++l) {
        const Matrix3d s = turned_.block<3, 3>(3 * j, 3 * l) * r.middleCols<3>(3 * l).transpose();
        const Matrix3d block = s.trace() * Matrix3d::Identity() - s.transpose();
        hessian_.block<3, 3>(3 * j, 3 * l) = block;
        hessian_.block<3, 3>(3 * l, 3 * j) = block.transpose();
      }
    }
  }

  const RotationProblem& problem_;
  MatrixXd p_, product_, hessian_;
  MatrixXd turned_;  ///< R_j Q_jk
  MatrixXd damped_, next_;
  DenseCholesky factor_;
  Eigen::VectorXd gradient_, change_, row_, column_;
  double scale_ = 0;
};

}  // namespace

void apply_joints(const Tree& tree, lbs::Bones& bones, const Run& run) {
  const auto frames = std::size_t(bones.rows() / 3);
  parallel_for(run, frames, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      for (const std::size_t j : tree.order) {
        if (tree.is_root(j)) continue;
        const auto own = bones.block<3, 4>(at(t, 3), at(j, 4)),
                   above = bones.block<3, 4>(at(t, 3), at(tree.parents[j], 4));
        const Vector3d translation = above.col(3) + (above.leftCols<3>() - own.leftCols<3>()) * tree.joints[j];
        bones.block<3, 1>(at(t, 3), at(j, 4) + 3) = translation;
      }
    }
  });
}

void solve_hard_motion(const Tree& tree, const lbs::Normal& normal, int steps, lbs::Bones& bones, const Run& run) {
  const RotationProblem problem(tree, normal);
  const std::size_t count = tree.bones(), frames = std::size_t(bones.rows() / 3);
  parallel_for(run, frames, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      MatrixXd r(3, at(count, 3));
      for (std::size_t j = 0; j < count; ++j) r.middleCols<3>(at(j, 3)) = bones.block<3, 3>(at(t, 3), at(j, 4));
      FrameSolver(problem, t).solve(r, steps);
      MatrixXd x(3, problem.chain.cols());
      x << r, problem.fixed.middleRows<3>(at(t, 3)) - r * problem.coupled;
      bones.middleRows<3>(at(t, 3)).noalias() = x * problem.chain.transpose();
      for (std::size_t j = 0; j < count; ++j) bones.block<3, 3>(at(t, 3), at(j, 4)) = r.middleCols<3>(at(j, 3));
    }
  });
}

}  // namespace marrow::skeleton
