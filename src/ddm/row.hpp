#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ddm/moments.hpp"
#include "ddm/surface.hpp"
#include "marrow/rig.hpp"

namespace marrow::ddm {

/// The symmetric 4 x 4 multi-weight [A b; b^T c] of one bone.
struct Omega {
  std::uint32_t bone = 0;
  Eigen::Matrix3d a = Eigen::Matrix3d::Zero();
  Point b = Point::Zero();
  double c = 0;
};

/// Multi-weights of one point about its centre of rotation: the b sum to 0, the c to 1.
struct Row {
  Point centre;  ///< p_i
  std::vector<Omega> omegas;
};

/// Omega_ij = (1 - alpha) Psi_ij + alpha w'_ij [p p^T, p; p^T, 1] about p (Eq. 13d); p is the mean of Psi. To every c a
/// ball is added whose radius is 1 % of the row's spread: rotations are then defined even if the points are collinear
/// or coincide, and an isolated point rotates with its bones.
Row make_row(const WeldedSurface& surface, std::size_t point, std::span<const Moments::Entry> moments, double alpha);

/// Cost of replacing a bone by the row's strongest: first-order bound of the point's displacement (model units). Holds
/// for any rotations about the joints, as long as Q is at least 1/4 of its rest value; below that, the blended rotation
/// is nearly undefined. Translations between bones are not bounded.
class DropCost {
 public:
  DropCost(const Skeleton& skeleton, const WeldedSurface& surface);

  /// One cost per multi-weight; infinity for the strongest bone, which must stay.
  std::vector<double> operator()(const Row& row, const Point& rest) const;

 private:
  double displacement(const Point& p, std::size_t bone, std::size_t other) const;

  const Skeleton& skeleton_;
  std::vector<Point> joints_;
  std::vector<std::uint32_t> depth_;
};

/// Merges the cheapest multi-weights into the strongest bone while the sum of their costs is at most `budget`. Sums and
/// centre stay.
void prune_row(Row& row, std::span<const double> costs, double budget);

}  // namespace marrow::ddm
