#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marrow::two_layer {

/// W of the paper, transposed: a row of weights per vertex, with sum 1.
struct DenseWeights {
  std::size_t vertices = 0;
  std::size_t bones = 0;
  std::vector<float> values;  ///< #vertices x #bones

  const float* row(std::size_t i) const { return values.data() + i * bones; }
};

/// D of the paper, transposed: a row of weights of the rig's bones per atom (virtual bone), with sum 1.
struct Dictionary {
  std::size_t bones = 0;
  std::vector<float> values;  ///< #atoms x #bones

  std::size_t atoms() const { return bones == 0 ? 0 : values.size() / bones; }
  const float* row(std::size_t k) const { return values.data() + k * bones; }
  float* row(std::size_t k) { return values.data() + k * bones; }
};

/// Most coefficients per vertex.
constexpr std::size_t max_slots = 4;

/// A row of A of the paper: the atoms of a vertex with coefficients. Coefficients sum to 1; unused slots are 0.
struct Code {
  std::uint32_t count = 0;
  std::uint32_t atoms[max_slots] = {};
  float values[max_slots] = {};
};

using Coding = std::vector<Code>;  ///< one per vertex

}  // namespace marrow::two_layer
