#pragma once

#include "core/neighbours.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"

namespace marrow::lbs {

/// Le & Deng 2014: rigidness Laplacian. Adds sum over edges (a, b) of s_ab |w_a - w_b|^2 to the energy. Edges that keep
/// their length in all frames have stiff springs, edges that stretch weak ones: rigid parts get even weights, creases
/// stay free.
struct Smoothness {
  const Neighbours* neighbours = nullptr;
  std::vector<double> springs;  ///< s_ab, aligned with neighbours->indices

  bool active() const { return !springs.empty(); }
  double energy(const SlotWeights& weights, const Run& run) const;
};

/// `strength` 0: none. The springs scale with the squared error, so that a strength costs about the same share of it in
/// every data set.
Smoothness make_smoothness(const Sequence& sequence, const Space& space, const Neighbours& neighbours, double strength,
                           double e_rms_so_far, const Run& run);

}  // namespace marrow::lbs
