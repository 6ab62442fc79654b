#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lbs/kernels/weights.hpp"
#include "lbs/space.hpp"

namespace marrow::lbs {

using kernels::lanes;

/// Vertices in reduced coordinates, in blocks of `lanes`. The last block is padded with copies of its last vertex.
struct Points {
  std::size_t count = 0;
  std::size_t rank = 0;
  std::vector<double> coordinates;  ///< [block][rank][lane]
  std::vector<double> rest;         ///< [block][3][lane]: the rest pose as given
  std::vector<double> squared;      ///< [block][lane]: sum of squared coordinates

  std::size_t blocks() const { return (count + lanes - 1) / lanes; }
  const double* block_coordinates(std::size_t b) const { return coordinates.data() + b * rank * lanes; }
  double coordinate(std::size_t i, std::size_t q) const { return block_coordinates(i / lanes)[q * lanes + i % lanes]; }
};

/// Vertex i of a rest pose in blocks, as in Points::rest.
inline Eigen::Vector3d rest_of(const std::vector<double>& rest, std::size_t i) {
  const double* r = rest.data() + i / lanes * 3 * lanes + i % lanes;
  return {r[0], r[lanes], r[2 * lanes]};
}

/// Points of the given vertices; of all if `subset` is empty.
Points make_points(const Sequence& sequence, const Space& space, std::span<const std::uint32_t> subset, const Run& run);
/// Points with only the first `rank` coordinates.
Points truncated(const Points& points, std::size_t rank);

}  // namespace marrow::lbs
