#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "marrow/rig.hpp"

namespace marrow {

struct BoneWeight {
  std::uint32_t bone;
  float weight;
};

/// The bones of vertex i for players: the largest weight first (the lower bone where two are equal), and rounded so
/// that the weights sum to 1 as nearly as floats can. `row` is reused.
void sorted_influences(const Weights& weights, std::size_t i, std::vector<BoneWeight>& row);

}  // namespace marrow
