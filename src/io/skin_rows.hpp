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

/// Writes the bones of vertex i to `row`, largest weight first (ties: lower bone first). Weights are rounded so that
/// they sum to 1 as nearly as floats can.
void sorted_influences(const Weights& weights, std::size_t i, std::vector<BoneWeight>& row);

}  // namespace marrow
