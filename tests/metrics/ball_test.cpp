#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <vector>

#include "core/random.hpp"
#include "marrow/metrics.hpp"

namespace marrow {
namespace {

using Points = std::vector<Vec3>;

double distance(const Ball& ball, const Vec3& p) {
  return std::hypot(p.x - ball.x, p.y - ball.y, p.z - ball.z);
}

double farthest(const Points& points, const Eigen::Vector3d& centre) {
  double most = 0;
  for (const Vec3& p : points) most = std::max(most, (Eigen::Vector3d(p.x, p.y, p.z) - centre).norm());
  return most;
}

/// The definition, tried out: every set of one to four points gives a centre (least squares on its own differences, so
/// nothing is shared with the code under test); the best centre is the one whose farthest point is nearest.
double brute_force_radius(const Points& points) {
  const std::size_t n = points.size();
  double best = farthest(points, {points[0].x, points[0].y, points[0].z});
  std::vector<std::size_t> chosen;
  const auto visit = [&](auto&& self, std::size_t first) -> void {
    if (chosen.size() >= 2) {
      const auto count = Eigen::Index(chosen.size()) - 1;
      const Vec3& o = points[chosen[0]];
      Eigen::MatrixXd differences(count, 3);
      for (Eigen::Index k = 0; k < count; ++k) {
        const Vec3& p = points[chosen[std::size_t(k) + 1]];
        differences.row(k) << double(p.x) - o.x, double(p.y) - o.y, double(p.z) - o.z;
      }
      const Eigen::Vector3d x =
          differences.completeOrthogonalDecomposition().solve(differences.rowwise().squaredNorm() / 2);
      best = std::min(best, farthest(points, x + Eigen::Vector3d(o.x, o.y, o.z)));
    }
    if (chosen.size() == 4) return;
    for (std::size_t i = first; i < n; ++i) {
      chosen.push_back(i);
      self(self, i + 1);
      chosen.pop_back();
    }
  };
  visit(visit, 0);
  return best;
}

void expect_holds_all(const Points& points, const Ball& ball) {
  for (const Vec3& p : points) ASSERT_LE(distance(ball, p), ball.radius * (1 + 1e-15));
}

/// What docs/metrics.md promises: 1e-12 of the radius, and the rounding of the centre's coordinates.
void expect_smallest(const Points& points) {
  const Ball ball = smallest_enclosing_ball(points);
  expect_holds_all(points, ball);
  const double expected = brute_force_radius(points);
  const double offset = std::hypot(points[0].x, points[0].y, points[0].z);
  EXPECT_NEAR(ball.radius, expected, 1e-12 * expected + 1e-15 * offset);
}

Points random_points(Random& random, std::size_t count, double offset = 0) {
  Points points(count);
  for (Vec3& p : points) {
    p = {float(offset + random.normal()), float(random.normal() - offset), float(offset + random.normal())};
  }
  return points;
}

/// Spread evenly over a sphere, up to the rounding to float.
Points spiral_on_sphere(std::size_t count, double radius) {
  Points points(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double z = 1 - 2 * (double(i) + 0.5) / double(count);
    const double angle = std::numbers::pi * (3 - std::sqrt(5.0)) * double(i);
    const double r = std::sqrt(1 - z * z);
    points[i] = {float(radius * r * std::cos(angle)), float(radius * r * std::sin(angle)), float(radius * z)};
  }
  return points;
}

Points grid(int nx, int ny, int nz, float step) {
  Points points;
  for (int x = 0; x < nx; ++x) {
    for (int y = 0; y < ny; ++y) {
      for (int z = 0; z < nz; ++z) {
        points.push_back({float(x) * step, float(y) * step, float(z) * step});
      }
    }
  }
  return points;
}

TEST(Ball, NoneOneAndTwoPoints) {
  EXPECT_EQ(smallest_enclosing_ball({}).radius, 0);
  const Ball one = smallest_enclosing_ball(Points{{1, 2, 3}});
  EXPECT_EQ(one.radius, 0);
  EXPECT_EQ(one.y, 2);
  const Ball two = smallest_enclosing_ball(Points{{1, 0, 0}, {1, 6, 8}});
  EXPECT_EQ(two.radius, 5);
  EXPECT_EQ(two.y, 3);
  EXPECT_EQ(two.z, 4);
}

TEST(Ball, KnownShapes) {
  // Equilateral triangle of side 1: 1 / sqrt 3. Obtuse triangle: half its long side. Regular tetrahedron with corners
  // of the cube (+-1)^3: sqrt 3. Cube of side 2: the same.
  EXPECT_NEAR(smallest_enclosing_ball(Points{{0, 0, 0}, {4, 0, 0}, {2, 1, 0}}).radius, 2, 1e-15);
  EXPECT_NEAR(smallest_enclosing_ball(Points{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}).radius, std::sqrt(2.0 / 3), 1e-15);
  EXPECT_NEAR(smallest_enclosing_ball(Points{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}).radius, std::sqrt(3.0),
              1e-15);
  EXPECT_NEAR(smallest_enclosing_ball(grid(2, 2, 2, 2)).radius, std::sqrt(3.0), 1e-15);
}

TEST(Ball, RandomSetsAgreeWithTheDefinition) {
  Random random(11);
  for (int trial = 0; trial < 60; ++trial) expect_smallest(random_points(random, 1 + random.index(11)));
}

TEST(Ball, FarFromTheOriginAgreesWithTheDefinition) {
  Random random(12);
  for (int trial = 0; trial < 20; ++trial) expect_smallest(random_points(random, 2 + random.index(8), 1e6));
}

TEST(Ball, VerySmallAndVeryLarge) {
  Random random(13);
  for (const float scale : {1e-30f, 1e30f}) {
    Points points = random_points(random, 9);
    for (Vec3& p : points) p = {p.x * scale, p.y * scale, p.z * scale};
    expect_smallest(points);
  }
}

TEST(Ball, DuplicatesAreHarmless) {
  Random random(14);
  for (int trial = 0; trial < 20; ++trial) {
    Points points = random_points(random, 2 + random.index(4));
    points.insert(points.end(), points.begin(), points.end());
    expect_smallest(points);
  }
  const Ball same = smallest_enclosing_ball(Points(1000, {3, 4, 5}));
  EXPECT_EQ(same.radius, 0);
  EXPECT_EQ(same.z, 5);
}

TEST(Ball, CollinearAndCoplanar) {
  Random random(15);
  for (int trial = 0; trial < 20; ++trial) {
    Points line, plane;
    for (int i = 0; i < 9; ++i) {
      const auto a = float(random.normal()), b = float(random.normal());
      line.push_back({a, 2 * a, -3 * a});
      plane.push_back({a, b, a + b});
    }
    expect_smallest(line);
    expect_smallest(plane);
  }
}

TEST(Ball, AlmostFlatAndAlmostStraight) {
  Random random(16);
  for (const float thin : {1e-2f, 1e-4f, 1e-6f, 1e-8f, 1e-12f}) {
    for (int trial = 0; trial < 4; ++trial) {
      Points flat = random_points(random, 8), straight = flat;
      for (Vec3& p : flat) p.z *= thin;
      for (Vec3& p : straight) p = {p.x, p.y * thin, p.z * thin};
      expect_smallest(flat);
      expect_smallest(straight);
    }
  }
}

TEST(Ball, ManyPointsOnOneSphere) {
  expect_smallest(spiral_on_sphere(12, 1));
  expect_smallest(spiral_on_sphere(20, 1000));
  for (const std::size_t count : {100u, 10'000u}) {
    const Points points = spiral_on_sphere(count, 1);
    const Ball ball = smallest_enclosing_ball(points);
    expect_holds_all(points, ball);
    // Rounding to float moves a point by up to sqrt 3 half units in the last place.
    EXPECT_NEAR(ball.radius, 1, 1.1e-7);
  }
}

/// One point slightly beyond a great circle forces the centre sideways by as much as the excess, while the radius grows
/// only by its square, below rounding.
TEST(Ball, CentreMovesWhereTheRadiusHardlyGrows) {
  const float excess = 1e-6f;
  expect_smallest({{-1, 0, 0}, {1, 0, 0}, {0, 1 + excess, 0}});
  expect_smallest({{-1, 0, 0}, {1, 0, 0}, {0, 1 + excess, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1 - excess}});
  // Points beyond the circle by 1e-11 to 1e-8: the square is lost in a double.
  Random random(19);
  for (int found = 0; found < 10;) {
    const auto x = float(random.uniform(-0.7, 0.7));
    const auto y = float(std::sqrt(1 - double(x) * x));
    const double beyond = std::hypot(double(x), double(y)) - 1;
    if (beyond < 1e-11 || beyond > 1e-8) continue;
    ++found;
    expect_smallest({{-1, 0, 0}, {1, 0, 0}, {x, y, 0}});
  }
}

TEST(Ball, GridsHaveTheirHalfDiagonal) {
  EXPECT_NEAR(smallest_enclosing_ball(grid(11, 11, 11, 0.5f)).radius, 2.5 * std::sqrt(3.0), 1e-14);
  EXPECT_NEAR(smallest_enclosing_ball(grid(30, 40, 1, 1)).radius, std::hypot(29, 39) / 2, 1e-13);
}

/// The points that touch the surface must already need a ball this large.
TEST(Ball, LargeSetsAreHeldByTheirSurfacePoints) {
  Random random(17);
  const Points points = random_points(random, 200'000);
  const Ball ball = smallest_enclosing_ball(points);
  expect_holds_all(points, ball);
  Points surface;
  std::ranges::copy_if(points, std::back_inserter(surface),
                       [&](const Vec3& p) { return distance(ball, p) > ball.radius * (1 - 1e-10); });
  ASSERT_GE(surface.size(), 2u);
  ASSERT_LE(surface.size(), 8u);
  EXPECT_NEAR(brute_force_radius(surface), ball.radius, 1e-12 * ball.radius);
}

TEST(Ball, HoldsAMillionPoints) {
  for (const bool on_sphere : {false, true}) {
    Random random(18);
    const Points points = on_sphere ? spiral_on_sphere(1'000'000, 7) : random_points(random, 1'000'000);
    expect_holds_all(points, smallest_enclosing_ball(points));
  }
}

TEST(Ball, SizeIsTheBoxDiagonal) {
  EXPECT_EQ(size_of({}), 0);
  EXPECT_EQ(size_of(Points{{5, 5, 5}}), 0);
  EXPECT_EQ(size_of(Points{{1, 2, 3}, {3, 2, 9}, {2, 5, 4}}), 7);  // sides 2, 3, 6
}

}  // namespace
}  // namespace marrow
