#pragma once

#include "decompose/types.hpp"

namespace marrow::ssdr {

/// Bones and weights on the way down, with what the momentum needs.
struct State {
  Bones bones;
  Bones previous;  ///< bones one accepted iteration earlier
  SlotWeights weights;
  Normal normal;
  double error = unknown;  ///< sum of squared residuals in the reduced space
  int streak = 0;          ///< accepted iterations since the momentum was last reset

  static constexpr double unknown = 1e300;

  State(Bones start, std::size_t blocks, std::size_t influences) : bones(std::move(start)), previous(bones) {
    weights.resize(blocks, influences);
  }
  /// Forget momentum and error: the bones were changed from outside.
  void reset() {
    previous = bones;
    error = unknown;
    streak = 0;
  }
};

/// Weights, then transforms, `iterations` times (SSDR Algorithm 1), from extrapolated bones: Nesterov momentum that is
/// reset when the error rises. The error never rises.
void descend(const Space& space, const Points& points, State& state, int iterations, const Run& run);

}  // namespace marrow::ssdr
