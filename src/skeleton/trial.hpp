#pragma once

#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/transforms.hpp"
#include "skeleton/passes.hpp"

namespace marrow::skeleton {

/// Motion in a subset of the frames, to rate changes of the tree. Weights are fixed.
struct Trial {
  Tree tree;
  lbs::Normal normal;
  lbs::Bones bones;
  double share = 1;       ///< number of frames used / number of frames
  double mean_error = 0;  ///< as in make_anchors()
  double energy = 0;      ///< without the constant sum of squared positions, which all trials share
};

/// Takes at most `frames_at_most` frames, at equal steps.
Trial make_trial(const lbs::Problem& problem, const Jointed& jointed, std::size_t frames_at_most);
/// Solves motion and joint positions for a changed tree.
void settle_trial(Trial& trial, const Run& run);

}  // namespace marrow::skeleton