#pragma once

#include "lbs/descent.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"
#include "marrow/rig.hpp"

namespace marrow::lbs {

/// drop_small() of weights that are too small to be seen.
void drop_small(const Points& points, SlotWeights& weights);

/// Gives every bone that moves nothing the motion of a busy one and a share of one of its
/// vertices: the result stays the same, and no bone is idle. Returns how many there were.
std::size_t employ_idle_bones(const Points& points, State& state);

/// From the solver's space back to the model's. Vertices of the rest pose that did not move from `given` keep their
/// position to the bit.
Rig to_rig(const Sequence& sequence, const Space& space, const std::vector<double>& given, const State& state);

}  // namespace marrow::lbs
