#include "core/factor.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace marrow {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// Eigen would ask the machine, and sum in an order that depends on the answer.
TEST(Factor, ProductsAreSplitTheSameWayOnEveryMachine) {
  EXPECT_EQ(Eigen::l1CacheSize(), 48 * 1024);
  EXPECT_EQ(Eigen::l2CacheSize(), 2048 * 1024);
  EXPECT_EQ(Eigen::l3CacheSize(), 32 * 1024 * 1024);
}

TEST(Factor, SingularVectorsAreRotationsAndTheSignIsInTheLastValue) {
  const Matrix3d general = Matrix3d::Random();
  const Matrix3d mirror = Vector3d(3, 1, -2).asDiagonal(), flat = Vector3d(1, 2, 0).asDiagonal();
  for (const Matrix3d& a : {general, Matrix3d(-general), mirror, flat, Matrix3d(Matrix3d::Zero())}) {
    const SignedSvd svd = signed_svd(a);
    EXPECT_NEAR(svd.u.determinant(), 1, 1e-12);
    EXPECT_NEAR(svd.v.determinant(), 1, 1e-12);
    EXPECT_LT((svd.u * svd.s.asDiagonal() * svd.v.transpose() - a).norm(), 1e-12);
    EXPECT_GE(svd.s[0], svd.s[1]);
    EXPECT_GE(svd.s[1], std::abs(svd.s[2]));
    EXPECT_GE(svd.s[2] * a.determinant(), 0);
  }
}

TEST(Factor, TurnsTakeOneDirectionToTheOther) {
  const Vector3d from(1, 2, -3);
  const Vector3d nearly_back = -from + 1e-5 * Vector3d(3, 0, 1);
  for (const Vector3d& to : {Vector3d(0, 0, 4), Vector3d(from), Vector3d(-2 * from), nearly_back}) {
    const Eigen::Quaterniond turn = turn_between(from, to);
    EXPECT_NEAR(turn.norm(), 1, 1e-9);
    EXPECT_LT((turn * from.normalized() - to.normalized()).norm(), 1e-9);
  }
}

TEST(Factor, SolvesAndSpansAsTheirNamesSay) {
  const Eigen::MatrixXd a = Eigen::MatrixXd::Random(7, 4), b = Eigen::MatrixXd::Random(4, 2);
  const Eigen::MatrixXd square = a.transpose() * a;
  EXPECT_LT((square * solve_symmetric(square, b) - b).norm(), 1e-9);
  const Eigen::MatrixXd q = orthonormal_columns(a);
  EXPECT_LT((q.transpose() * q - Eigen::MatrixXd::Identity(4, 4)).norm(), 1e-12);
  EXPECT_LT((q * (q.transpose() * a) - a).norm(), 1e-12);
  const Spectrum eigen = spectrum(square);
  EXPECT_LT((square * eigen.vectors - eigen.vectors * eigen.values.asDiagonal()).norm(), 1e-9);
  Eigen::VectorXd x = b.col(0);
  DenseCholesky factor;
  factor.compute(square);
  factor.solve_in_place(x);
  EXPECT_LT((square * x - b.col(0)).norm(), 1e-9);
}

}  // namespace
}  // namespace marrow
