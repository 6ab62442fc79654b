#pragma once

#include "marrow/effort.hpp"

namespace marrow::two_layer {

/// How long to try.
struct Schedule {
  int iterations;
  int shrinking;        ///< the first so many take the number of values down to the budget
  int settling;         ///< the last so many exchange no atoms
  int pose_iterations;  ///< instead of those, where there are poses
  int pose_shrinking;
  int pose_settling;
  int far;  ///< one in so many looks for atoms everywhere; 0: none
  int pose_far;
  int refit_far;
  int refits;     ///< iterations after those in which rest pose and motion follow
  int polishing;  ///< rounds of everything in turn at their end, with the supports as they are
};
Schedule schedule(Effort effort);

}  // namespace marrow::two_layer
