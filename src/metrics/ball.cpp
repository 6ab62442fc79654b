#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "marrow/metrics.hpp"

namespace marrow {
namespace {

using Point = Eigen::Vector3d;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Up to four points that determine the ball, plus a new one outside it.
struct Support {
  std::array<Point, 5> points;
  std::size_t count = 0;
};

struct Guess {
  Point centre{0, 0, 0};
  double squared_radius = 0;
};

Point from(const Vec3& p) {
  return {p.x, p.y, p.z};
}

/// Centre of the smallest sphere through up to four points: solves 2 q_i . x = |q_i|^2 within the span of the
/// differences q_i to the first point. Not finite if the points are degenerate.
Point circumcentre(const Support& through) {
  const Point& origin = through.points[0];
  std::array<Point, 3> q;
  std::array<double, 3> half_square{};
  for (std::size_t i = 1; i < through.count; ++i) {
    q[i - 1] = through.points[i] - origin;
    half_square[i - 1] = q[i - 1].squaredNorm() / 2;
  }
  if (through.count == 1) return origin;
  if (through.count == 2) return origin + q[0] / 2;
  const Point normal = q[0].cross(q[1]);
  if (through.count == 3) {
    return origin + (half_square[0] * q[1].cross(normal) + half_square[1] * normal.cross(q[0])) / normal.squaredNorm();
  }
  return origin + (half_square[0] * q[1].cross(q[2]) + half_square[1] * q[2].cross(q[0]) + half_square[2] * normal) /
                      normal.dot(q[2]);
}

double farthest_squared(const Support& points, const Point& centre) {
  double farthest = 0;
  for (std::size_t i = 0; i < points.count; ++i) {
    farthest = std::max(farthest, (points.points[i] - centre).squaredNorm());
  }
  return farthest;
}

/// The smallest ball around at most five points with the last one on its surface; `support` becomes the points that
/// determine it. Tries every subset and takes the centre whose farthest point is nearest, so that an ill-conditioned
/// centre cannot win. A larger subset must win clearly: if two tie, its centre is less accurate.
Guess ball_of_few(Support& support) {
  const Support all = support;
  const auto others = int(all.count) - 1;
  Guess best{.squared_radius = std::numeric_limits<double>::infinity()};
  for (int size = 0; size <= std::min(others, 3); ++size) {
    for (unsigned chosen = 0; chosen < 1u << others; ++chosen) {
      if (std::popcount(chosen) != size) continue;
      Support subset;
      subset.points[subset.count++] = all.points[all.count - 1];
      for (std::size_t i = 0; i + 1 < all.count; ++i) {
        if ((chosen >> i & 1u) != 0) subset.points[subset.count++] = all.points[i];
      }
      const Point centre = circumcentre(subset);
      if (!centre.allFinite()) continue;
      const double squared = farthest_squared(all, centre);
      if (squared < best.squared_radius * (1 - 8 * epsilon)) {
        best = {centre, squared};
        support = subset;
      }
    }
  }
  return best;
}

struct Farthest {
  std::size_t index = 0;
  double squared = 0;
};

/// `centre` is relative to `origin`: far from zero, differences of points keep digits that sums would lose.
Farthest farthest_from(std::span<const Vec3> points, const Vec3& origin, const Point& centre) {
  const double ox = origin.x, oy = origin.y, oz = origin.z;
  const double cx = centre.x(), cy = centre.y(), cz = centre.z();
  Farthest farthest;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double dx = (points[i].x - ox) - cx, dy = (points[i].y - oy) - cy, dz = (points[i].z - oz) - cz;
    const double squared = dx * dx + dy * dy + dz * dz;
    if (squared > farthest.squared) farthest = {i, squared};
  }
  return farthest;
}

}  // namespace

// Pivoting of Gaertner, "Fast and Robust Smallest Enclosing Balls" (ESA 1999). The farthest point joins the support,
// and the smallest ball of these few points is solved exactly. It is never larger than the ball sought, and the
// farthest distance from any centre never smaller: the two bounds converge.
Ball smallest_enclosing_ball(std::span<const Vec3> points) {
  if (points.empty()) return {};
  // Rounds that neither grow the inner ball nor shrink the outer one. Rounding can cause a few; more mean convergence.
  constexpr int patience = 8;
  constexpr int most_rounds = 1000;

  const Vec3& origin = points[0];
  Support support;
  support.points[support.count++] = {0, 0, 0};
  Guess inner;
  Guess outer{.squared_radius = std::numeric_limits<double>::infinity()};
  for (int round = 0, idle = 0; round < most_rounds && idle < patience; ++round) {
    const Farthest farthest = farthest_from(points, origin, inner.centre);
    ++idle;
    if (farthest.squared < outer.squared_radius) {
      outer = {inner.centre, farthest.squared};
      idle = 0;
    }
    if (farthest.squared <= inner.squared_radius * (1 + 8 * epsilon)) break;
    support.points[support.count++] = from(points[farthest.index]) - from(origin);
    const double before = inner.squared_radius;
    inner = ball_of_few(support);
    if (inner.squared_radius > before) idle = 0;
  }
  // Measures the radius again, because this addition rounds the centre.
  const Point centre = outer.centre + from(origin);
  const double radius = std::sqrt(farthest_from(points, {0, 0, 0}, centre).squared);
  return {centre.x(), centre.y(), centre.z(), radius};
}

double size_of(std::span<const Vec3> points) {
  if (points.empty()) return 0;
  Point low = from(points[0]), high = low;
  for (const Vec3& p : points) {
    low = low.cwiseMin(from(p));
    high = high.cwiseMax(from(p));
  }
  return (high - low).norm();
}

}  // namespace marrow
