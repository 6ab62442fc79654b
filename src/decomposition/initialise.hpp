#pragma once

#include "core/neighbours.hpp"
#include "lbs/bones.hpp"
#include "lbs/points.hpp"
#include "lbs/space.hpp"

namespace marrow::decomposition {

/// Two ways to grow end in different places, neither better in the mean: a search may start from several.
struct Growth {
  std::size_t patch_share = 4;  ///< a new bone is fitted to 1 / patch_share of what a bone has in the mean
  int passes = 2;               ///< of the clusters, after each new bone
};
/// Bones from rigid clusters: start with one, split the cluster with the largest total error at its worst place, let
/// the clusters settle, until there are `count`.
lbs::Bones grow_bones(const lbs::Space& space, const lbs::Points& points, const Neighbours& neighbours,
                      std::size_t count, const Growth& growth, const Run& run);

/// The `size` points nearest to the seed along the mesh; where its shell has fewer, the nearest others in space.
std::vector<std::uint32_t> patch(const lbs::Points& points, const Neighbours& neighbours, std::size_t seed,
                                 std::size_t size);

/// A bone fitted to the vertices around `seed`.
void fit_patch(const lbs::Space& space, const lbs::Points& points, const Neighbours& neighbours, std::size_t seed,
               std::size_t size, Eigen::Ref<lbs::Bones> bone);

}  // namespace marrow::decomposition
