#pragma once

#include "decompose/neighbours.hpp"
#include "decompose/types.hpp"

namespace marrow::ssdr {

/// Bones from rigid clusters: start with one, split the cluster with the largest total error at its worst place, let
/// the clusters settle, until there are `count`.
Bones grow_bones(const Space& space, const Points& points, const Neighbours& neighbours, std::size_t count,
                 const Run& run);

/// Bones that do not move.
Bones identity_bones(std::size_t frames, std::size_t count);

/// The `size` points nearest to the seed along the mesh; where its shell has fewer, the nearest others in space.
std::vector<std::uint32_t> patch(const Points& points, const Neighbours& neighbours, std::size_t seed,
                                 std::size_t size);

/// A bone fitted to the vertices around `seed`.
void fit_patch(const Space& space, const Points& points, const Neighbours& neighbours, std::size_t seed,
               std::size_t size, Eigen::Ref<Bones> bone);

}  // namespace marrow::ssdr
