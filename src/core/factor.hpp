#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Geometry>

// Decompositions of matrices that many folders need. Compiled here once: in each of them they would take longer to
// compile than all the rest.
namespace marrow {

/// a = u diag(s) v^T with u and v proper rotations: s falls in size, and only the last may be negative.
struct SignedSvd {
  Eigen::Matrix3d u;
  Eigen::Vector3d s;
  Eigen::Matrix3d v;
};
SignedSvd signed_svd(const Eigen::Matrix3d& a);

/// Eigenvalues of a symmetric matrix, rising, and their vectors as columns.
struct Spectrum {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
Spectrum spectrum(const Eigen::MatrixXd& symmetric);

/// The same of a small one, in closed form: faster, and exact to about 1e-8 of the largest.
struct Spectrum3 {
  Eigen::Vector3d values;
  Eigen::Matrix3d vectors;
};
Spectrum3 spectrum3(const Eigen::Matrix3d& symmetric);

/// a^-1 b for a symmetric, positive semi-definite a.
Eigen::MatrixXd solve_symmetric(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// As many orthonormal columns as a has, with the same span.
Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& a);

/// The rotation by the least angle that takes the direction of `from` to that of `to`.
Eigen::Quaterniond turn_between(const Eigen::Vector3d& from, const Eigen::Vector3d& to);

/// Solves with one matrix after another in the same memory.
class Cholesky {
 public:
  /// The matrix must be positive definite.
  void compute(const Eigen::MatrixXd& a);
  void solve_in_place(Eigen::VectorXd& x) const;

 private:
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

}  // namespace marrow
