#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "marrow/ddm_rig.hpp"

namespace marrow::ddm_compression {

using Matrix = Eigen::MatrixXd;
using Matrix4 = Eigen::Matrix4d;
using Vector3 = Eigen::Vector3d;
using Vector4 = Eigen::Vector4d;
using Index = Eigen::Index;

inline Index to_index(std::size_t k) {
  return Index(k);
}

/// A symmetric multi-weight of one bone.
struct MultiWeight {
  std::uint32_t bone = 0;
  Matrix4 value = Matrix4::Zero();
};

/// The distinct vertices of a model. Vertices at the same position with the same multi-weights (seams) are one point.
/// Lengths are in units of the size, relative to the centre of the mesh's box.
struct DistinctPoints {
  std::vector<std::uint32_t> point_of;  ///< #vertices
  Eigen::Matrix4Xd rest;                ///< #points columns, homogeneous u_i
  std::vector<double> mass;             ///< #points, weight in the objective; sums to the number of vertices
  std::vector<Vector3> centres;         ///< #points, p_i
  std::vector<std::uint32_t> offsets;   ///< #points + 1, into `weights`
  std::vector<MultiWeight> weights;     ///< Omega*_ij: about p_i (Eq. 13d); rows sum to 1
  std::vector<std::uint32_t> ring_offsets;
  std::vector<std::uint32_t> ring;  ///< neighbours along edges
  Vector3 middle = Vector3::Zero();
  double size = 1;

  std::size_t count() const { return mass.size(); }
  std::span<const MultiWeight> row(std::size_t i) const {
    return {weights.data() + offsets[i], weights.data() + offsets[i + 1]};
  }
  std::span<const std::uint32_t> neighbours(std::size_t i) const {
    return {ring.data() + ring_offsets[i], ring.data() + ring_offsets[i + 1]};
  }
};

DistinctPoints distinct_points(const DdmRig& ddm, bool area_weights);

/// Eq. (13d): the multi-weight with its reference point moved by `by`.
Matrix4 about(const Matrix4& value, const Vector3& by);

Matrix4 to_matrix(const MultiWeights::Value& v);
MultiWeights::Value to_value(const Matrix4& m);

}  // namespace marrow::ddm_compression
