#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Geometry>

// Matrix decompositions that many folders need, compiled once: they dominate compile time.
namespace marrow {

/// a = u diag(s) v^T with proper rotations u and v. |s| descends; only s[2] may be negative.
struct SignedSvd {
  Eigen::Matrix3d u;
  Eigen::Vector3d s;
  Eigen::Matrix3d v;
};
SignedSvd signed_svd(const Eigen::Matrix3d& a);

/// Eigenvalues of a symmetric matrix, ascending, and eigenvectors as columns.
struct Spectrum {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
Spectrum spectrum(const Eigen::MatrixXd& symmetric);

/// The same for 3 x 3, in closed form: faster; eigenvalues are exact to about 1e-8 of the largest.
struct Spectrum3 {
  Eigen::Vector3d values;
  Eigen::Matrix3d vectors;
};
Spectrum3 spectrum3(const Eigen::Matrix3d& symmetric);

/// a^-1 b for a symmetric positive semi-definite a.
Eigen::MatrixXd solve_symmetric(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// An orthonormal basis of the column space, as many columns as a.
Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& a);

/// The rotation with the smallest angle that takes the direction of `from` to that of `to`.
Eigen::Quaterniond turn_between(const Eigen::Vector3d& from, const Eigen::Vector3d& to);

/// Dense Cholesky solver that reuses its memory from one matrix to the next.
class DenseCholesky {
 public:
  /// The matrix must be positive definite.
  void compute(const Eigen::MatrixXd& a);
  void solve_in_place(Eigen::VectorXd& x) const;

 private:
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

}  // namespace marrow
