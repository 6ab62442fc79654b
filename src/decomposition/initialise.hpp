#pragma once

#include "core/neighbours.hpp"
#include "lbs/bones.hpp"
#include "lbs/points.hpp"
#include "lbs/space.hpp"

namespace marrow::decomposition {

/// Parameters of growing bones. No setting is better on average, so that a search may start from several.
struct Growth {
  std::size_t patch_share = 4;  ///< a new bone is fitted to 1 / patch_share of the mean number of points per bone
  int passes = 2;               ///< k-means iterations after each new bone
};
/// Grows rigid clusters: starts with one; splits the cluster with the largest total error at its worst point and
/// iterates k-means, until there are `count` bones.
lbs::Bones grow_bones(const lbs::Space& space, const lbs::Points& points, const Neighbours& neighbours,
                      std::size_t count, const Growth& growth, const Run& run);

/// The `size` points nearest to `seed` along the mesh. If its shell has fewer, the nearest others in space.
std::vector<std::uint32_t> patch(const lbs::Points& points, const Neighbours& neighbours, std::size_t seed,
                                 std::size_t size);

/// Fits a rigid bone to the `size` points around `seed`.
void fit_patch(const lbs::Space& space, const lbs::Points& points, const Neighbours& neighbours, std::size_t seed,
               std::size_t size, Eigen::Ref<lbs::Bones> bone);

}  // namespace marrow::decomposition
