#pragma once

#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/transforms.hpp"
#include "skeleton/passes.hpp"

namespace marrow::skeleton {

/// Motion and sums of some frames, to try changes of the tree out on. Weights stay as they are.
struct Trial {
  Tree tree;
  lbs::Normal normal;
  lbs::Bones bones;
  double share = 1;       ///< of all frames
  double mean_error = 0;  ///< as make_anchors() takes it
  double energy = 0;      ///< up to what the frames themselves weigh, which is the same in every trial
};

/// At most so many frames, evenly spread.
Trial make_trial(const lbs::Problem& problem, const Jointed& jointed, std::size_t frames_at_most);
/// Motion and joint positions for a changed tree.
void settle_trial(Trial& trial, const Run& run);

}  // namespace marrow::skeleton