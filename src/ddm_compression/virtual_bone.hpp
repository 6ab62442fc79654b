#pragma once

#include <span>
#include <vector>

#include "ddm_compression/points.hpp"

namespace marrow::ddm_compression {

/// Rotations are trusted as long as the spread along every direction is at least this part of the largest: a condition
/// number of 100, with a little room for rounding to floats.
constexpr double least_spread = 0.0101;

/// One virtual bone: symmetric multi-weights Delta*_jk about its centre of rotation. They sum to [A 0; 0 1], A positive
/// definite.
struct VirtualBone {
  Vector3 centre = Vector3::Zero();
  std::vector<MultiWeight> weights;  ///< sorted by bone
};

/// The mean of some points' multi-weights (section 4.1), by `shares` that sum to 1.
VirtualBone mean_bone(const Points& points, std::span<const std::uint32_t> members, std::span<const double> shares);

/// Makes the multi-weights sum to [A 0; 0 1] about a new centre. False where their weights do not sum to something
/// positive.
bool normalise(VirtualBone& bone);

/// Smallest over largest eigenvalue of A; not positive where A is not positive definite.
double roundness(const VirtualBone& bone);

/// Adds a ball to every multi-weight, by its weight, so that roundness() is at least `least`.
void round_off(VirtualBone& bone, double least);

/// Gives multi-weights with a small share of the weight to the strongest, beyond the `most` strongest any.
void drop_small(VirtualBone& bone, double smallest, std::size_t most);

/// At most a dozen multi-weights, none of them negligible, and a roundness that leaves room for steps.
void trim(VirtualBone& bone);

/// The bones in model units, rounded to floats (Eq. 13d, 13e).
void store(const Points& points, std::span<const VirtualBone> bones, std::vector<Vec3>& centres, MultiWeights& rows);

/// The bones of a stored model.
std::vector<VirtualBone> load(const Points& points, std::span<const Vec3> centres, const MultiWeights& rows);

}  // namespace marrow::ddm_compression
