#pragma once

#include "decomposition/search_bones.hpp"
#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/transforms.hpp"
#include "marrow/skeleton.hpp"
#include "skeleton/passes.hpp"

namespace marrow::skeleton {

/// Parents by the solver's index, if the tree is given.
using GivenParents = std::optional<std::vector<std::size_t>>;

/// The tree for free bones: the given one, or the minimum spanning tree.
Tree choose_tree(const GivenParents& given, const lbs::Bones& bones, const lbs::Normal& normal, Pull pull,
                 const Run& run);

/// Multi-pass (I) on the sample, from free bones with weights: joints become hard, then tree and bones improve under
/// them. Prunes down to options.bones; if that is 0, prunes bones that are not needed.
Jointed find_skeleton(const decomposition::SearchGround& ground, lbs::State state, const GivenParents& given,
                      const SkeletonOptions& options, const Run& run);

/// What that is expected to take from so many bones, for the estimate of progress: in iterations of free bones.
double cost_of_finding(const SkeletonOptions& options, std::size_t bones);

/// Methods II to IV: clusters become bones; weights, tree and joints are solved once, then the motion.
Jointed single_pass(const decomposition::SearchGround& ground, const SkeletonOptions& options, const Run& run);

/// Rigid bones from the clusters of points, with weights.
lbs::State bones_of(const lbs::Problem& problem, const std::vector<std::uint32_t>& labels, std::size_t bones,
                    const Run& run);

}  // namespace marrow::skeleton
