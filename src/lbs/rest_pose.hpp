#pragma once

#include "lbs/bones.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"

namespace marrow::lbs {

/// Solves the rest position of every vertex with bones and weights fixed (FSD, Section 4.3): a 3 x 3 system per vertex.
/// `limit` > 0: largest distance (in radii) from the given position.
void solve_rest_pose(const Space& space, const Points& points, const Bones& bones, const SlotWeights& weights,
                     double limit, std::vector<double>& rest, const Run& run);

}  // namespace marrow::lbs
