#include "core/factor.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace marrow {

SignedSvd signed_svd(const Eigen::Matrix3d& a) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
  SignedSvd out{svd.matrixU(), svd.singularValues(), svd.matrixV()};
  for (Eigen::Matrix3d* turn : {&out.u, &out.v}) {
    if (turn->determinant() > 0) continue;
    turn->col(2) *= -1;
    out.s[2] *= -1;
  }
  return out;
}

Spectrum spectrum(const Eigen::MatrixXd& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(symmetric);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

Spectrum3 spectrum3(const Eigen::Matrix3d& symmetric) {
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen;
  eigen.computeDirect(symmetric);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

Eigen::MatrixXd solve_symmetric(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.ldlt().solve(b);
}

Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& a) {
  return a.householderQr().householderQ() * Eigen::MatrixXd::Identity(a.rows(), a.cols());
}

Eigen::Quaterniond turn_between(const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
  const Eigen::Vector3d a = from.normalized(), b = to.normalized();
  // Uses the half-way direction: 1 + cos would cancel for nearly opposite directions.
  const Eigen::Vector3d half = a + b;
  const double length = half.norm();
  if (length < 1e-9) {  // a half turn about any perpendicular axis
    const Eigen::Vector3d across = a.unitOrthogonal();
    return {0, across.x(), across.y(), across.z()};
  }
  const Eigen::Vector3d axis = a.cross(half) / length;
  return {length / 2, axis.x(), axis.y(), axis.z()};
}

void DenseCholesky::compute(const Eigen::MatrixXd& a) {
  factor_.compute(a);
}

void DenseCholesky::solve_in_place(Eigen::VectorXd& x) const {
  factor_.solveInPlace(x);
}

}  // namespace marrow
