#include "core/turns.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace marrow {
namespace {

using Eigen::AngleAxisd;
using Eigen::Quaterniond;
using Eigen::Vector3d;

const Vector3d turn_axes[] = {Vector3d::UnitX(), Vector3d::UnitY(), Vector3d::UnitZ(), Vector3d(1, -2, 3).normalized()};
constexpr double turn_angles[] = {-3, -0.7, 0, 1e-9, 0.4, 2, std::numbers::pi};

TEST(Turns, AreEigens) {
  for (const Vector3d& axis : turn_axes) {
    for (const double angle : turn_angles) {
      const AngleAxisd eigen(angle, axis);
      EXPECT_LT((turn_matrix(angle, axis) - eigen.toRotationMatrix()).norm(), 1e-15);
      EXPECT_LT((turn_quaternion(angle, axis).coeffs() - Quaterniond(eigen).coeffs()).norm(), 1e-15);
    }
  }
}

TEST(Turns, ComeBackAsTheirVector) {
  for (const Vector3d& axis : turn_axes) {
    for (const double angle : turn_angles) {
      const Vector3d vector = rotation_vector(turn_matrix(angle, axis));
      // Half a turn about an axis is half a turn about its opposite.
      const bool half = std::abs(angle) > 3.1;
      EXPECT_LT(std::min((vector - angle * axis).norm(), half ? (vector + angle * axis).norm() : 1), 1e-14) << angle;
    }
  }
}

TEST(Turns, AnglesBetweenAreEigens) {
  const Quaterniond a = turn_quaternion(0.3, turn_axes[3]);
  for (const Vector3d& axis : turn_axes) {
    for (const double angle : turn_angles) {
      const Quaterniond b = turn_quaternion(angle, axis);
      EXPECT_NEAR(turn_angle(a, b), a.angularDistance(b), 1e-15);
      EXPECT_NEAR(turn_angle(a, Quaterniond(-b.coeffs())), a.angularDistance(b), 1e-15);
    }
  }
}

TEST(Turns, InterpolateAsEigenDoes) {
  const Quaterniond a = turn_quaternion(0.3, turn_axes[3]);
  for (const Vector3d& axis : turn_axes) {
    for (const double angle : turn_angles) {
      const Quaterniond b = turn_quaternion(angle, axis);
      for (const double share : {0.0, 0.25, 0.9, 1.0}) {
        EXPECT_LT((slerp(a, b, share).coeffs() - a.slerp(share, b).coeffs()).norm(), 1e-15);
        EXPECT_LT(
            (slerp(a, Quaterniond(-b.coeffs()), share).coeffs() - a.slerp(share, Quaterniond(-b.coeffs())).coeffs())
                .norm(),
            1e-15);
      }
    }
    EXPECT_EQ(slerp(a, a, 0.4).coeffs(), a.coeffs() * 0.6 + a.coeffs() * 0.4) << "equal ones need no sine";
  }
}

}  // namespace
}  // namespace marrow
