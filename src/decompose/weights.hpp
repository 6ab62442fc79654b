#pragma once

#include "decompose/smoothness.hpp"
#include "decompose/types.hpp"

namespace marrow::ssdr {

enum class Choice {
  all_bones,  ///< any bone may come in
  near_bones  ///< only those that a vertex close by in memory follows: much less to look at
};

/// Best weights for the bones, starting from `weights`; never worse than those, springs included.
void solve_weights(const Space& space, const Points& points, const std::vector<double>& rest, const Bones& bones,
                   const Smoothness& smoothness, Choice choice, SlotWeights& weights, const Run& run);

}  // namespace marrow::ssdr
