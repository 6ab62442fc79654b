#pragma once

#include "core/neighbours.hpp"
#include "lbs/pose_problem.hpp"
#include "lbs/slot_weights.hpp"
#include "marrow/rig.hpp"

namespace marrow::reduction {

/// The `influences` largest weights of each vertex, normalised.
lbs::SlotWeights k_largest(const Weights& weights, std::size_t influences);

/// From k_largest(): the same supports, with weights whose Laplacian is closest to that of the given ones. Returns the
/// number of rounds.
int smooth_weights(const Weights& given, std::size_t bones, const Neighbours& neighbours, lbs::SlotWeights& weights,
                   const Run& run);

/// Greedy per vertex over its own bones: the best single bone, then the one with the largest gain, each time with
/// optimal weights.
lbs::SlotWeights fit_geometry(const lbs::PoseProblem& problem, const Weights& weights, std::size_t influences,
                              const Run& run);

/// From fit_geometry(): the same supports, with weights that keep the Laplacian of the posed mesh. Returns the number
/// of rounds.
int fit_poisson(const lbs::PoseProblem& problem, const Neighbours& neighbours, lbs::SlotWeights& weights,
                const Run& run);

/// Ours: the best supports and weights found. `exact`: the target is the rig itself, so that rows with few enough bones
/// stay.
lbs::SlotWeights fit_best(const lbs::PoseProblem& problem, const Weights& weights, std::size_t influences, bool exact,
                          const Run& run);

/// Drops weights below float resolution; rounds to floats with sum 1.
Weights rounded(lbs::SlotWeights weights, std::size_t vertices);

}  // namespace marrow::reduction
