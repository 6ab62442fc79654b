#pragma once

#include "core/neighbours.hpp"
#include "lbs/pose_problem.hpp"
#include "lbs/slot_weights.hpp"
#include "marrow/rig.hpp"

namespace marrow::reduction {

/// The `influences` largest weights of each vertex, divided by their sum.
lbs::SlotWeights k_largest(const Weights& weights, std::size_t influences);

/// From k_largest(): the same bones, with weights whose Laplacian is that of the given ones as nearly as can be.
/// Returns the rounds.
int smooth_weights(const Weights& given, std::size_t bones, const Neighbours& neighbours, lbs::SlotWeights& weights,
                   const Run& run);

/// Of each vertex's own bones the one that is best alone, then one more at a time, the most promising first, each time
/// with the best weights for all of them.
lbs::SlotWeights fit_geometry(const lbs::PoseProblem& problem, const Weights& weights, std::size_t influences,
                              const Run& run);

/// From fit_geometry(): the same bones, with weights that keep the Laplacian of the posed mesh. Returns the rounds.
int fit_poisson(const lbs::PoseProblem& problem, const Neighbours& neighbours, lbs::SlotWeights& weights,
                const Run& run);

/// The best bones and weights that were found. `exact`: rows that have no more bones than asked for are the target and
/// stay.
lbs::SlotWeights fit_best(const lbs::PoseProblem& problem, const Weights& weights, std::size_t influences, bool exact,
                          const Run& run);

/// Without weights that are too small for a float to see, rounded to floats that sum to 1.
Weights rounded(lbs::SlotWeights weights, std::size_t vertices);

}  // namespace marrow::reduction
