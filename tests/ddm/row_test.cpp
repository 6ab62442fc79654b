#include "ddm/row.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <array>

#include "core/eigen_affine.hpp"
#include "core/polar.hpp"
#include "core/random.hpp"

namespace marrow::ddm {
namespace {

Omega omega(std::uint32_t bone, const Point& b, double c) {
  Omega out;
  out.bone = bone;
  out.a = Eigen::Vector3d(3, 2, 1).asDiagonal();
  out.b = b;
  out.c = c;
  return out;
}

TEST(DdmRow, PruningGivesToTheStrongestAndKeepsTheSums) {
  Row row{Point(5, -2, 1),
          {omega(0, {0.3, 0, 0.1}, 0.6), omega(2, {-0.4, 0.1, 0}, 0.3), omega(7, {0.1, -0.1, -0.1}, 0.1)}};
  const Row before = row;
  prune_row(row, std::array{1e9, 0.2, 0.01}, 0.1);
  ASSERT_EQ(row.omegas.size(), 2u);
  EXPECT_EQ(row.centre, before.centre);
  EXPECT_EQ(row.omegas[0].bone, 0u);
  EXPECT_EQ(row.omegas[0].c, 0.6 + 0.1);
  EXPECT_EQ(row.omegas[0].b, before.omegas[0].b + before.omegas[2].b);
  EXPECT_EQ(row.omegas[0].a, before.omegas[0].a + before.omegas[2].a);
  EXPECT_EQ(row.omegas[1].bone, 2u);
  EXPECT_EQ(row.omegas[1].c, 0.3);
  EXPECT_EQ(row.omegas[1].b, before.omegas[1].b);
}

/// Bones of a chain, each turned about its joint and carried along by the one before.
std::vector<Eigen::Isometry3d> bent(const Skeleton& chain, Random& random, double most) {
  std::vector<Eigen::Isometry3d> pose;
  for (std::size_t j = 0; j < chain.bones(); ++j) {
    const Point joint = translation_part(chain.bind[j]);
    const Point axis = Point(random.normal(), random.normal(), random.normal()).normalized();
    const Eigen::Isometry3d turn = Eigen::Translation3d(joint) * Eigen::AngleAxisd(random.uniform(-most, most), axis) *
                                   Eigen::Translation3d(-joint);
    pose.push_back(j == 0 ? turn : pose.back() * turn);
  }
  return pose;
}

/// Eq. 13a to 13c, and the sum of the two smallest singular values of Q.
std::pair<Point, double> play(const Row& row, const Point& rest, const std::vector<Eigen::Isometry3d>& pose) {
  Eigen::Matrix3d q = Eigen::Matrix3d::Zero();
  Point shift = Point::Zero();
  for (const Omega& o : row.omegas) {
    const Eigen::Isometry3d& m = pose[o.bone];
    q += m.linear() * o.a + (m * row.centre) * o.b.transpose();
    shift += m.linear() * o.b + o.c * (m * row.centre);
  }
  const Eigen::Vector3d values = Eigen::JacobiSVD<Eigen::Matrix3d>(q).singularValues();
  return {nearest_rotation(q) * (rest - row.centre) + shift, values[1] + values[2]};
}

TEST(DdmRow, WhatIsDroppedMovesThePointByNoMoreThanItsCost) {
  const Skeleton chain{
      {"a", "b", "c"}, {-1, 0, 1}, {Affine{}, Affine::translation(1, 0, 0), Affine::translation(2, 0, 0)}};
  const DropCost cost(chain, WeldedSurface{});
  Random random(11);
  std::size_t tried = 0;
  for (int round = 0; round < 300; ++round) {
    // Two strong bones far from each other and a weak one, near whose joint the point may be.
    Row row{Point(random.uniform(0, 2.5), random.uniform(-0.3, 0.3), 0), {}};
    Point left = Point::Zero();
    for (std::uint32_t j = 0; j < 3; ++j) {
      const Point b = j < 2 ? Point(random.normal(), random.normal(), random.normal()) * 0.01 : Point(-left);
      left += b;
      const double c = j == 2 ? 0.004 : 0.498;
      row.omegas.push_back(omega(j, b, c));
      row.omegas.back().a = c * (0.02 * Eigen::Matrix3d::Identity() + b * b.transpose());
    }
    const Point rest = row.centre + Point(random.normal(), random.normal(), random.normal()) * 0.05;
    const double budget = cost(row, rest)[2];
    Row fewer = row;
    prune_row(fewer, std::array{1e9, 1e8, budget}, budget);
    ASSERT_EQ(fewer.omegas.size(), 2u);
    const double still = play(row, rest, std::vector<Eigen::Isometry3d>(3, Eigen::Isometry3d::Identity())).second;
    const std::vector<Eigen::Isometry3d> pose = bent(chain, random, 1.5);
    const auto [place, spread] = play(row, rest, pose);
    if (spread < still / 4) continue;
    ++tried;
    EXPECT_LE((play(fewer, rest, pose).first - place).norm(), budget);
  }
  EXPECT_GT(tried, 100u);
}

TEST(DdmRow, TheCostGrowsWithWeightAndDistanceAndTheStrongestStays) {
  const Skeleton chain{
      {"a", "b", "c"}, {-1, 0, 1}, {Affine{}, Affine::translation(1, 0, 0), Affine::translation(2, 0, 0)}};
  const WeldedSurface surface;
  const DropCost cost(chain, surface);
  const Row row{Point(0, 1, 0),
                {omega(0, Point::Zero(), 0.8), omega(1, Point::Zero(), 0.1), omega(2, Point::Zero(), 0.1)}};
  const std::vector<double> costs = cost(row, row.centre);
  EXPECT_EQ(costs[0], std::numeric_limits<double>::infinity());
  // One joint lies between bones 0 and 1, two between 0 and 2; the arm is zero, so rotations cost nothing.
  EXPECT_NEAR(costs[1], 0.1 * 2 * std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(costs[2], 0.1 * 2 * (std::sqrt(2.0) + std::sqrt(5.0)), 1e-12);
}

}  // namespace
}  // namespace marrow::ddm
