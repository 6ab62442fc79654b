#pragma once

#include "decompose/descent.hpp"
#include "marrow/rig.hpp"

namespace marrow::ssdr {

/// Drops weights that are too small to be seen and makes the rest sum to 1 again. A bone may lose all its vertices by
/// this.
void drop_small(const Points& points, SlotWeights& weights);
/// The same for weights below `least`.
void drop_small(std::size_t vertices, double least, SlotWeights& weights);

/// Gives every bone that moves nothing the motion of a busy one and a share of one of its
/// vertices: the result stays the same, and no bone is idle. Returns how many there were.
std::size_t employ_idle_bones(const Points& points, State& state);

/// From the solver's space back to the model's. Vertices of the rest pose that did not move from `given` keep their
/// position to the bit.
Rig to_rig(const Sequence& sequence, const Space& space, const std::vector<double>& given, const State& state);

/// A rig's weights as the solver has them, made to sum to 1 in double.
SlotWeights to_slots(const Weights& weights, std::size_t blocks);

/// Rounded to floats that sum to 1.
Weights to_weights(const SlotWeights& weights, std::size_t vertices);

/// What the bones stretch along, where they do that.
std::vector<Eigen::Matrix3d> bind_axes(const Skeleton& skeleton);

/// A motion in the model's space, in the solver's, and back.
Bones to_bones(const Space& space, const Motion& motion);
Motion to_motion(const Space& space, const Timeline& timeline, const Bones& bones);

}  // namespace marrow::ssdr
