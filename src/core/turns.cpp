#include "core/turns.hpp"

#include <cmath>

#include "core/libm.hpp"

namespace marrow {

Eigen::Matrix3d turn_matrix(double angle, const Eigen::Vector3d& axis) {
  const double c = libm::cos(angle);
  const Eigen::Vector3d s = libm::sin(angle) * axis;
  Eigen::Matrix3d m = (1 - c) * axis * axis.transpose();
  m.diagonal().array() += c;
  m(0, 1) -= s.z();
  m(1, 0) += s.z();
  m(0, 2) += s.y();
  m(2, 0) -= s.y();
  m(1, 2) -= s.x();
  m(2, 1) += s.x();
  return m;
}

Eigen::Quaterniond turn_quaternion(double angle, const Eigen::Vector3d& axis) {
  const Eigen::Vector3d v = libm::sin(0.5 * angle) * axis;
  return {libm::cos(0.5 * angle), v.x(), v.y(), v.z()};
}

Eigen::Vector3d rotation_vector(const Eigen::Matrix3d& rotation) {
  const Eigen::Quaterniond q(rotation);
  const double length = q.vec().norm();
  if (length == 0) return Eigen::Vector3d::Zero();
  const double angle = 2 * libm::atan2(length, std::abs(q.w()));
  return (q.w() < 0 ? -angle : angle) / length * q.vec();
}

double turn_angle(const Eigen::Quaterniond& a, const Eigen::Quaterniond& b) {
  const Eigen::Quaterniond between = a * b.conjugate();
  return 2 * libm::atan2(between.vec().norm(), std::abs(between.w()));
}

Eigen::Quaterniond slerp(const Eigen::Quaterniond& a, const Eigen::Quaterniond& b, double share) {
  const double cosine = a.dot(b), near = std::abs(cosine);
  double from = 1 - share, to = share;
  if (near < 1 - 1e-15) {
    const double angle = libm::acos(near), sine = libm::sin(angle);
    from = libm::sin(from * angle) / sine;
    to = libm::sin(to * angle) / sine;
  }
  return Eigen::Quaterniond(from * a.coeffs() + (cosine < 0 ? -to : to) * b.coeffs());
}

}  // namespace marrow
