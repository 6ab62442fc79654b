#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <array>
#include <cstdint>
#include <vector>

#include "marrow/rig.hpp"

namespace marrow::ddm {

using Point = Eigen::Vector3d;
using SparseMatrix = Eigen::SparseMatrix<double>;

/// Index from Eigen's int.
inline std::size_t at(int index) {
  return std::size_t(index);
}

/// The rig's mesh for smoothing: vertices with the same position and nearly the same weights become one point;
/// duplicate and degenerate triangles are removed.
struct WeldedSurface {
  std::vector<std::uint32_t> point_of;   ///< #vertices
  std::vector<std::uint32_t> vertex_of;  ///< per point, its first vertex
  std::vector<Point> points;             ///< relative to the box's centre, so that squares stay small
  std::vector<std::array<std::uint32_t, 3>> triangles;
  Point middle = Point::Zero();
  double size = 0;  ///< diagonal of the box

  std::size_t count() const { return points.size(); }
};

WeldedSurface weld(const Rig& rig);

/// Cotangent Laplacian: symmetric, positive semi-definite, rows sum to 0. Weights are clamped to [1e-3, 1e3], so that
/// it is an M-matrix (smoothed weights stay in [0, 1]) and slivers do no harm. Edges may have any number of faces.
SparseMatrix laplacian(const WeldedSurface& surface);

/// A third of the area of each triangle per point; at least 1e-6 of the mean.
Eigen::VectorXd point_areas(const WeldedSurface& surface);

}  // namespace marrow::ddm
