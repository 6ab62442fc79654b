#pragma once

#include "decompose/smoothness.hpp"
#include "decompose/types.hpp"

namespace marrow::ssdr {

/// Best weights for the bones, starting from `weights`; never worse than those, springs included.
void solve_weights(const Space& space, const Points& points, const std::vector<double>& rest, const Bones& bones,
                   const Smoothness& smoothness, SlotWeights& weights, const Run& run);

}  // namespace marrow::ssdr
