#pragma once

#include <span>
#include <vector>

#include "ddm_compression/points.hpp"

namespace marrow::ddm_compression {

/// Least ratio of smallest to largest spread for which rotations are reliable: a condition number of 100, with a margin
/// for rounding to floats.
constexpr double least_spread = 0.0101;

/// A virtual bone: symmetric multi-weights Delta*_jk about its centre of rotation. They sum to [A 0; 0 1] with A
/// positive definite.
struct VirtualBone {
  Vector3 centre = Vector3::Zero();
  std::vector<MultiWeight> weights;  ///< sorted by bone
};

/// Mean multi-weights of some points (Section 4.1), weighted by `shares` with sum 1.
VirtualBone mean_bone(const DistinctPoints& points, std::span<const std::uint32_t> members,
                      std::span<const double> shares);

/// Normalises the sum to [A 0; 0 1] about a new centre. Returns false if the weights do not sum to a positive value.
bool normalise(VirtualBone& bone);

/// Smallest / largest eigenvalue of A; not positive unless A is positive definite.
double roundness(const VirtualBone& bone);

/// Adds a ball to every multi-weight, in proportion to its weight, so that roundness() is at least `least`.
void round_off(VirtualBone& bone, double least);

/// Merges multi-weights into the strongest: those below `smallest`, and those beyond the `most` strongest.
void merge_small(VirtualBone& bone, double smallest, std::size_t most);

/// Reduces to at most 12 multi-weights without negligible ones, and to a roundness that leaves room for steps.
void trim(VirtualBone& bone);

/// Converts to model units and floats (Eqs. 13d, 13e).
void store_bones(const DistinctPoints& points, std::span<const VirtualBone> bones, std::vector<Vec3>& centres,
                 MultiWeights& rows);

/// The inverse of store().
std::vector<VirtualBone> load_bones(const DistinctPoints& points, std::span<const Vec3> centres,
                                    const MultiWeights& rows);

}  // namespace marrow::ddm_compression
