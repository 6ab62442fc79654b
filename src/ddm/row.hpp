#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ddm/moments.hpp"
#include "ddm/surface.hpp"
#include "marrow/rig.hpp"

namespace marrow::ddm {

/// A symmetric 4 x 4 multi-weight [A b; b^T c] of one bone.
struct Omega {
  std::uint32_t bone = 0;
  Eigen::Matrix3d a = Eigen::Matrix3d::Zero();
  Point b = Point::Zero();
  double c = 0;
};

/// The multi-weights of one point, about its centre of rotation: the b sum to 0 and the c to 1.
struct Row {
  Point centre;  ///< p_i
  std::vector<Omega> omegas;
};

/// Omega_ij = (1 - alpha) Psi_ij + alpha w'_ij [p p^T, p; p^T, 1] about p (Eq. 13d), with p and the row's sum from
/// Psi. Every c also turns a ball with a hundredth of the row's spread, so that the rotation is defined where the
/// points around lie on a line or in one place; alone in the world, a point then turns as its bones do.
Row make_row(const Surface& surface, std::size_t point, std::span<const Moments::Entry> moments, double alpha);

/// How far the point may move when the row's strongest bone takes over a multi-weight, to first order, whatever way
/// bones turn about their joints as long as the blended matrix Q is not smaller than a quarter of what it is in the
/// rest pose (beyond that, bones turn so much against each other that the rotation itself is all but undefined). Bones
/// that also move apart are not bounded.
class DropCost {
 public:
  DropCost(const Skeleton& skeleton, const Surface& surface);

  /// One cost per multi-weight of the row, in model units; the strongest bone's must stay and costs infinity.
  std::vector<double> operator()(const Row& row, const Point& rest) const;

 private:
  double displacement(const Point& p, std::size_t bone, std::size_t other) const;

  const Skeleton& skeleton_;
  std::vector<Point> joints_;
  std::vector<std::uint32_t> depth_;
};

/// Gives the cheapest multi-weights to the strongest bone as long as their costs sum to at most `budget`: sums and
/// centre stay.
void prune(Row& row, std::span<const double> costs, double budget);

}  // namespace marrow::ddm
