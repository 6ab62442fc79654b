#pragma once

#include "core/neighbours.hpp"
#include "lbs/pose_problem.hpp"
#include "lbs/slot_weights.hpp"
#include "marrow/rig.hpp"

namespace marrow::reduction {

/// From k_largest(): the same supports, with weights whose Laplacian is closest to that of the given ones. Returns the
/// number of rounds.
int smooth_weights(const Weights& given, std::size_t bones, const Neighbours& neighbours, lbs::SlotWeights& weights,
                   const Run& run);

/// From fit_geometry(): the same supports, with weights that keep the Laplacian of the posed mesh. Returns the number
/// of rounds.
int fit_poisson(const lbs::PoseProblem& problem, const Neighbours& neighbours, lbs::SlotWeights& weights,
                const Run& run);

}  // namespace marrow::reduction
