#pragma once

#include "lbs/descent.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"
#include "marrow/rig.hpp"

namespace marrow::lbs {

/// Drops weights that are too small to be visible.
void drop_small(const Points& points, SlotWeights& weights);

/// Gives every bone without vertices the motion of another bone and part of one of its vertices: the result stays the
/// same, and every bone has vertices. Returns the number of such bones.
std::size_t employ_idle_bones(const Points& points, State& state);

/// Converts a state to a rig in model space. Rest positions that equal `given` keep the bits of the sequence's.
Rig to_rig(const Sequence& sequence, const Space& space, const std::vector<double>& given, const State& state);

}  // namespace marrow::lbs
