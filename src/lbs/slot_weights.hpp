#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lbs/kernels/weights.hpp"
#include "marrow/rig.hpp"

namespace marrow::lbs {

using kernels::lanes;

/// Weights with a fixed number of slots per vertex; the first used[i] are used.
struct SlotWeights {
  std::size_t influences = 0;
  std::vector<std::uint32_t> bones;  ///< [block][lane][influences]
  std::vector<double> values;
  std::vector<std::uint32_t> used;  ///< [block][lane]
  std::vector<double> errors;       ///< [block][lane]: sum over frames of the squared residual

  void resize(std::size_t blocks, std::size_t most) {
    influences = most;
    bones.assign(blocks * lanes * most, 0);
    values.assign(blocks * lanes * most, 0);
    used.assign(blocks * lanes, 0);
    errors.assign(blocks * lanes, 0);
  }
  /// Number of slots used by the first `count` vertices.
  double slots_used(std::size_t count) const {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += used[i];
    return sum;
  }
};

/// Drops weights below `least` and normalises the others. A bone may lose all its vertices.
void drop_small(std::size_t vertices, double least, SlotWeights& weights);

/// A rig's weights in slots, normalised in double.
SlotWeights to_slots(const Weights& weights, std::size_t blocks);

/// Weights rounded to float.
Weights to_weights(const SlotWeights& weights, std::size_t vertices);

}  // namespace marrow::lbs
