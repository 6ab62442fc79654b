#include "core/polar.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>

#include "core/factor.hpp"

namespace marrow {
namespace {

/// Smallest adjugate, as a share of |q|^3, that is trusted. Below it the largest eigenvalue is nearly double: use the
/// SVD.
constexpr double clear_gap = 1e-6;
constexpr int newton_steps = 25;

Eigen::Matrix3d by_svd(const Eigen::Matrix3d& q) {
  const SignedSvd svd = signed_svd(q);
  return svd.u * svd.v.transpose();
}

/// Horn's symmetric 4 x 4 matrix: x^T N x = tr(R(x)^T q) for unit quaternions x = (w, x, y, z).
Eigen::Matrix4d horn(const Eigen::Matrix3d& q) {
  Eigen::Matrix4d n;
  n << q(0, 0) + q(1, 1) + q(2, 2), q(2, 1) - q(1, 2), q(0, 2) - q(2, 0), q(1, 0) - q(0, 1),  //
      0, q(0, 0) - q(1, 1) - q(2, 2), q(1, 0) + q(0, 1), q(0, 2) + q(2, 0),                   //
      0, 0, q(1, 1) - q(0, 0) - q(2, 2), q(2, 1) + q(1, 2),                                   //
      0, 0, 0, q(2, 2) - q(0, 0) - q(1, 1);
  return n.selfadjointView<Eigen::Upper>();
}

/// Largest root of l^4 - 2 |q|^2 l^2 - 8 det(q) l + det(N). Newton from above converges: the polynomial is convex
/// there.
double largest_eigenvalue(const Eigen::Matrix4d& n, const Eigen::Matrix3d& q) {
  const double c2 = -2 * q.squaredNorm(), c1 = -8 * q.determinant(), c0 = n.determinant();
  double l = std::sqrt(3.0) * q.norm();
  for (int round = 0; round < newton_steps; ++round) {
    const double slope = (4 * l * l + 2 * c2) * l + c1;
    if (!(slope > 0)) break;
    const double step = (((l * l + c2) * l + c1) * l + c0) / slope;
    l -= step;
    if (std::abs(step) <= 1e-15 * l) break;
  }
  return l;
}

}  // namespace

Eigen::Matrix3d nearest_rotation(const Eigen::Matrix3d& q) {
  const double norm = q.norm();
  if (!(norm > 0) || !std::isfinite(norm)) return Eigen::Matrix3d::Identity();
  const Eigen::Matrix3d unit = q / norm;
  const Eigen::Matrix4d n = horn(unit);
  const Eigen::Matrix4d shifted = n - largest_eigenvalue(n, unit) * Eigen::Matrix4d::Identity();
  // The adjugate of a singular symmetric matrix is a multiple of x x^T with its null vector x. Takes the longest
  // column.
  Eigen::Matrix4d adjugate;
  for (int c = 0; c < 4; ++c) {
    for (int r = 0; r < 4; ++r) {
      Eigen::Matrix3d minor;
      for (int i = 0, mi = 0; i < 4; ++i) {
        if (i == r) continue;
        for (int j = 0, mj = 0; j < 4; ++j) {
          if (j != c) minor(mi, mj++) = shifted(i, j);
        }
        ++mi;
      }
      adjugate(r, c) = ((r + c) % 2 == 0 ? 1 : -1) * minor.determinant();
    }
  }
  int longest = 0;
  const double largest = adjugate.diagonal().cwiseAbs().maxCoeff(&longest);
  if (!(largest > clear_gap)) return by_svd(unit);
  const Eigen::Vector4d x = adjugate.col(longest).normalized();
  return Eigen::Quaterniond(x[0], x[1], x[2], x[3]).toRotationMatrix();
}

Eigen::Matrix3d nearest_rotation(const Eigen::Matrix3d& q, const Eigen::Matrix3d& start) {
  // Newton on SO(3) for max tr(R^T Q): with B = R^T Q, the step w solves (tr(B) 1 - sym B) w = axial part of B. The
  // matrix is positive definite only near the global maximum; elsewhere the SVD decides.
  Eigen::Matrix3d r = start;
  for (int step = 0; step < 6; ++step) {
    const Eigen::Matrix3d b = r.transpose() * q;
    const Eigen::Vector3d g(b(2, 1) - b(1, 2), b(0, 2) - b(2, 0), b(1, 0) - b(0, 1));
    const Eigen::Matrix3d h = b.trace() * Eigen::Matrix3d::Identity() - 0.5 * (b + b.transpose());
    const Eigen::LLT<Eigen::Matrix3d> llt(h);
    if (llt.info() != Eigen::Success) break;
    const Eigen::Vector3d w = llt.solve(g);
    const double angle = w.norm();
    if (!(angle < 1)) break;
    // The rotation of the quaternion (1, w / 2), normalised: exact to second order and orthonormal.
    r = r * Eigen::Quaterniond(1, 0.5 * w.x(), 0.5 * w.y(), 0.5 * w.z()).normalized().toRotationMatrix();
    if (angle < 1e-8) return Eigen::Quaterniond(r).normalized().toRotationMatrix();
  }
  return by_svd(q);
}

}  // namespace marrow
