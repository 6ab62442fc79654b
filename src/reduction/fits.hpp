#pragma once

#include "lbs/pose_problem.hpp"
#include "lbs/slot_weights.hpp"
#include "marrow/rig.hpp"

namespace marrow::reduction {

/// The `influences` largest weights of each vertex, normalised.
lbs::SlotWeights k_largest(const Weights& weights, std::size_t influences);

/// Greedy per vertex over its own bones: the best single bone, then the one with the largest gain, each time with
/// optimal weights.
lbs::SlotWeights fit_geometry(const lbs::PoseProblem& problem, const Weights& weights, std::size_t influences,
                              const Run& run);

/// The best supports and weights found. `exact`: the target is the rig itself, so that rows with few enough bones
/// stay.
lbs::SlotWeights fit_best(const lbs::PoseProblem& problem, const Weights& weights, std::size_t influences, bool exact,
                          const Run& run);

/// Drops weights below float resolution; rounds to floats with sum 1.
Weights rounded_weights(lbs::SlotWeights weights, std::size_t vertices);

}  // namespace marrow::reduction
