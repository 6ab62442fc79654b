#pragma once

#include <Eigen/Geometry>

// Rotations from angles and back. Eigen's own conversions call the C library, whose last bits differ between machines.
namespace marrow {

/// Rotation by `angle` radians about an axis of length 1.
Eigen::Matrix3d turn_matrix(double angle, const Eigen::Vector3d& axis);
Eigen::Quaterniond turn_quaternion(double angle, const Eigen::Vector3d& axis);

/// Axis times angle (radians, 0 to pi) of a rotation.
Eigen::Vector3d rotation_vector(const Eigen::Matrix3d& rotation);

/// Angle (radians, 0 to pi) of the rotation that takes one to the other.
double turn_angle(const Eigen::Quaterniond& a, const Eigen::Quaterniond& b);

/// Spherical interpolation between unit quaternions, the shorter way: a at share 0, b at 1. Shoemake, "Animating
/// rotation with quaternion curves" (1985).
Eigen::Quaterniond slerp(const Eigen::Quaterniond& a, const Eigen::Quaterniond& b, double share);

}  // namespace marrow
