#pragma once

#include "decompose/neighbours.hpp"
#include "decompose/types.hpp"

namespace marrow::ssdr {

/// Bones from rigid clusters: start with one, split the cluster with the largest total error at its worst place, let
/// the clusters settle, until there are `count`.
Bones grow_bones(const Space& space, const Points& points, const Neighbours& neighbours, std::size_t count,
                 const Run& run);

/// A bone fitted to the vertices around `seed`.
void fit_patch(const Space& space, const Points& points, const Neighbours& neighbours, std::size_t seed,
               std::size_t size, Eigen::Ref<Bones> bone);

}  // namespace marrow::ssdr
