#pragma once

#include <Eigen/Core>

namespace marrow {

/// The proper rotation nearest to q: U diag(1, 1, det(U V^T)) V^T of its singular value decomposition (Le et al. 2021,
/// Eq. 13b, with the determinant corrected). Always finite and proper, even if q is a reflection, singular or zero.
Eigen::Matrix3d nearest_rotation(const Eigen::Matrix3d& q);
/// The same by Newton steps from `start`, which are fewer the nearer it is: loops have the last rotation at hand.
Eigen::Matrix3d nearest_rotation(const Eigen::Matrix3d& q, const Eigen::Matrix3d& start);

}  // namespace marrow
