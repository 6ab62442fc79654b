#pragma once

#include "decomposition/solver.hpp"
#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/transforms.hpp"
#include "marrow/skeleton.hpp"
#include "skeleton/passes.hpp"

namespace marrow::skeleton {

/// Parents by the solver's number, where the tree is given.
using GivenParents = std::optional<std::vector<std::size_t>>;

/// Chooses the tree of free bones: the given one, or the minimum spanning tree.
Tree choose_tree(const GivenParents& given, const lbs::Bones& bones, const lbs::Normal& normal, Pull pull,
                 const Run& run);

/// Multi-pass (I) on the search points, from free bones with their weights: joints grow hard, then tree and bones are
/// improved under them. Bones beyond options.bones go; where that is 0, those that are not needed.
Jointed find_skeleton(const decomposition::SearchGround& ground, lbs::State state, const GivenParents& given,
                      const SkeletonOptions& options, const Run& run);

/// II to IV: clusters by the method's own measure become bones; weights, tree and joints once, then the motion.
Jointed single_pass(const decomposition::SearchGround& ground, const SkeletonOptions& options, const Run& run);

/// Free bones from which points belong to which, with weights.
lbs::State bones_of(const lbs::Problem& problem, const std::vector<std::uint32_t>& labels, std::size_t bones,
                    const Run& run);

}  // namespace marrow::skeleton
