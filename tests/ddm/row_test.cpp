#include "ddm/row.hpp"

#include <gtest/gtest.h>

#include <array>

namespace marrow::mush {
namespace {

Omega omega(std::uint32_t bone, const Point& b, double c) {
  Omega out;
  out.bone = bone;
  out.a = Eigen::Vector3d(3, 2, 1).asDiagonal();
  out.b = b;
  out.c = c;
  return out;
}

/// First and second moments about the origin instead of the row's centre.
std::pair<Point, Eigen::Matrix3d> absolute(const Row& row, const Omega& o) {
  const Point& p = row.centre;
  return {o.b + o.c * p, o.a + o.b * p.transpose() + p * o.b.transpose() + o.c * p * p.transpose()};
}

TEST(DdmRow, PruningOnlyDropsAndRescales) {
  Row row{Point(5, -2, 1),
          {omega(0, {0.3, 0, 0.1}, 0.6), omega(2, {-0.4, 0.1, 0}, 0.3), omega(7, {0.1, -0.1, -0.1}, 0.1)}};
  const Row before = row;
  prune(row, std::array{1e9, 0.2, 0.01}, 0.1);
  ASSERT_EQ(row.omegas.size(), 2u);
  EXPECT_EQ(row.omegas[0].bone, 0u);
  EXPECT_EQ(row.omegas[1].bone, 2u);
  EXPECT_NEAR(row.omegas[0].c + row.omegas[1].c, 1, 1e-15);
  EXPECT_LT((row.omegas[0].b + row.omegas[1].b).norm(), 1e-15);
  for (std::size_t k = 0; k < 2; ++k) {
    // What is kept is the same matrix, larger by what was dropped.
    const auto [first, second] = absolute(row, row.omegas[k]);
    const auto [old_first, old_second] = absolute(before, before.omegas[k]);
    EXPECT_LT((first - old_first / 0.9).norm(), 1e-12);
    EXPECT_LT((second - old_second / 0.9).norm(), 1e-12);
  }
}

TEST(DdmRow, TheCostGrowsWithWeightAndDistanceAndTheStrongestStays) {
  const Skeleton chain{
      {"a", "b", "c"}, {-1, 0, 1}, {Affine{}, Affine::translation(1, 0, 0), Affine::translation(2, 0, 0)}};
  const Surface surface;
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
}  // namespace marrow::mush
