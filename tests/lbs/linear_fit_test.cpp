#include "lbs/linear_fit.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace marrow::lbs {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Points on a line, at times so close to each other that only rounding tells them apart, ask for maps that are flat,
/// mirror or vanish; none of these may come out.
void expect_within(double conditioning, double limit) {
  const BoneModel model = model_of(BoneKind::flexible, conditioning);
  const Matrix3d identity = Matrix3d::Identity();
  Random random(3);
  const auto direction = [&] {
    return Vector3d(random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5).normalized();
  };
  for (const double spread : {0.0, 1e-40, 1e-20, 1.0}) {
    for (const double pull : {0.0, 1e-20, 1e-6, 1.0, 1e6}) {
      for (int k = 0; k < 20; ++k) {
        const Vector3d along = direction();
        const Matrix3d p = spread * along * along.transpose(), a = pull * direction() * along.transpose();
        const Matrix3d found = fit_linear(model, a, p, identity, identity);
        const Vector3d scales = Eigen::JacobiSVD<Matrix3d>(found).singularValues();
        EXPECT_LE(scales[0], limit * (1 + 1e-9)) << spread << ", " << pull;
        EXPECT_GE(scales[2], (1 - 1e-9) / limit) << spread << ", " << pull;
        EXPECT_GT(found.determinant(), 0) << spread << ", " << pull;
      }
    }
  }
}

TEST(LinearFit, FlexibleMapsStayWithinTheLimitAndDoNotMirror) {
  expect_within(5, 5);
}

TEST(LinearFit, WithoutConditioningMapsStayWhereSumsDoNotCancel) {
  expect_within(0, 1000);
}

TEST(LinearFit, PointsInOnePlaceLeaveTheMapAsItIs) {
  const Matrix3d start = Vector3d(2, 1, 0.5).asDiagonal();
  for (const Vector3d& rounding : {Vector3d(0, 0, 0), Vector3d(1e-17, -1e-17, 0), Vector3d(0, -1e-17, 0)}) {
    const Matrix3d p = rounding.asDiagonal();
    EXPECT_EQ(fit_linear({BoneKind::flexible, 5}, Matrix3d::Zero(), p, Matrix3d::Identity(), start), start);
  }
}

}  // namespace
}  // namespace marrow::lbs
