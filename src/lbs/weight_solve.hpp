#pragma once

#include "lbs/bones.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/smoothness.hpp"
#include "lbs/space.hpp"

namespace marrow::lbs {

enum class Choice {
  all_bones,  ///< any bone may come in
  near_bones  ///< only bones of vertices near by in memory: much faster
};

/// Bones that move points from a rest pose.
struct MovedPoints {
  const Space& space;
  const Points& points;
  const std::vector<double>& rest;
  const Bones& bones;
};

/// Solves the weights for fixed bones (SSDR, Section 3.2), starting from `weights`; never worse, smoothing included.
void solve_weights(const MovedPoints& moved, const Smoothness& smoothness, Choice choice, SlotWeights& weights,
                   const Run& run);

/// Block b in the form of the kernels, without smoothing.
kernels::WeightBlock block_of(const Points& points, const std::vector<double>& rest, SlotWeights& weights,
                              std::size_t b, std::vector<double>& scratch);

}  // namespace marrow::lbs
