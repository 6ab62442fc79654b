#pragma once

#include "core/neighbours.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"

namespace marrow::lbs {

/// Springs between the weights of neighbours: sum over edges (a, b) of s_ab |w_a - w_b|^2 is added to the energy. Edges
/// that keep their length in all frames pull hard, those that stretch hardly (the rigidness Laplacian of Le and Deng
/// 2014), so that rigid parts get even weights and creases stay free.
struct Smoothness {
  const Neighbours* neighbours = nullptr;
  std::vector<double> springs;  ///< s_ab, aligned with neighbours->indices

  bool active() const { return !springs.empty(); }
  double energy(const SlotWeights& weights, const Run& run) const;
};

/// `strength` 0 gives no springs. They are as strong as the error is large, so that a strength costs about the same
/// share of it everywhere.
Smoothness make_smoothness(const Sequence& sequence, const Space& space, const Neighbours& neighbours, double strength,
                           double e_rms_so_far, const Run& run);

}  // namespace marrow::lbs
