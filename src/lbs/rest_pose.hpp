#pragma once

#include "lbs/bones.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"

namespace marrow::lbs {

/// The rest position of every vertex that fits its frames best, bones and weights fixed (FSD section 4.3): a 3 x 3
/// system per vertex, from sums over frames that are made once. With a `limit` (in radii) none goes further than that
/// from `given`.
void solve_rest_pose(const Space& space, const Points& points, const Bones& bones, const SlotWeights& weights,
                     double limit, std::vector<double>& rest, const Run& run);

}  // namespace marrow::lbs
