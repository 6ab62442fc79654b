#pragma once

#include "decomposition/search_bones.hpp"
#include "marrow/rig.hpp"

namespace marrow::decomposition {

/// Estimate for the progress bar, in the iterations of cost_of_search().
double cost_of_refining(const SearchGround& ground, const Schedule& schedule);

/// Solves weights for all vertices, then everything, starting from `found`.
Rig refine_all(const Sequence& sequence, const SearchGround& ground, const lbs::State& found,
               const DecomposeOptions& options, const Schedule& schedule, Report& report, const Run& run);

}  // namespace marrow::decomposition
