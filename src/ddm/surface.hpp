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

/// Eigen counts with int.
inline std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

/// The rig's mesh as smoothing sees it: vertices at the same place with nearly the same weights are one point, and
/// triangles are what is left when repeated ones and those with fewer than three points are taken out.
struct Surface {
  std::vector<std::uint32_t> point_of;   ///< #vertices
  std::vector<std::uint32_t> vertex_of;  ///< #points, the first vertex of each
  std::vector<Point> points;             ///< about the middle of the mesh's box, so that squares stay small
  std::vector<std::array<std::uint32_t, 3>> triangles;
  Point middle = Point::Zero();
  double size = 0;  ///< diagonal of the box

  std::size_t count() const { return points.size(); }
};

Surface weld(const Rig& rig);

/// Symmetric, positive semi-definite, rows sum to 0: cotangent weights, kept within [1e-3, 1e3] so that no entry off
/// the diagonal is positive (an M-matrix: smoothed weights stay in [0, 1]) and slivers or flat faces do no harm. Edges
/// may have any number of faces.
SparseMatrix laplacian(const Surface& surface);

/// A third of each triangle to each of its points; at least a millionth of the mean.
Eigen::VectorXd point_areas(const Surface& surface);

}  // namespace marrow::ddm
