#pragma once

#include "decompose/descent.hpp"
#include "marrow/rig.hpp"

namespace marrow::ssdr {

/// Gives every bone that moves nothing the motion of a busy one and a share of one of its vertices: the result stays
/// the same, and no bone is idle. Returns how many there were.
std::size_t employ_idle_bones(const Points& points, State& state);

/// From the solver's space back to the model's; weights rounded to floats that sum to 1. Vertices of the rest pose that
/// did not move from `given` keep their position to the bit.
Rig to_rig(const Sequence& sequence, const Space& space, const std::vector<double>& given, const State& state);

}  // namespace marrow::ssdr
