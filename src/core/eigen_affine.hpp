#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "marrow/math.hpp"

namespace marrow {

inline Eigen::Matrix3d linear_part(const Affine& a) {
  Eigen::Matrix3d m;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) m(r, c) = a(std::size_t(r), std::size_t(c));
  }
  return m;
}

inline Eigen::Vector3d translation_part(const Affine& a) {
  return {a(0, 3), a(1, 3), a(2, 3)};
}

inline Eigen::Vector3d to_eigen(const Vec3& p) {
  return {p.x, p.y, p.z};
}

inline Affine to_affine(const Eigen::Matrix3d& linear, const std::array<double, 3>& translation) {
  Affine a;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) a(r, c) = linear(int(r), int(c));
    a(r, 3) = translation[r];
  }
  return a;
}

inline Affine to_affine(const Eigen::Matrix3d& linear, const Eigen::Vector3d& translation) {
  return to_affine(linear, std::array<double, 3>{translation[0], translation[1], translation[2]});
}

/// Order (x, y, z, w), as glTF has it.
inline std::array<double, 4> to_array(const Eigen::Quaterniond& q) {
  return {q.x(), q.y(), q.z(), q.w()};
}

inline Eigen::Quaterniond to_quaternion(const std::array<double, 4>& q) {
  return {q[3], q[0], q[1], q[2]};
}

}  // namespace marrow
