#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marrow::two_layer {

/// W of the paper, transposed: one row of weights per vertex. Rows sum to 1.
struct DenseWeights {
  std::size_t vertices = 0;
  std::size_t bones = 0;
  std::vector<float> values;  ///< #vertices x #bones

  const float* row(std::size_t i) const { return values.data() + i * bones; }
};

/// D of the paper, transposed: one row of master-bone weights per atom (virtual bone). Rows sum to 1.
struct Dictionary {
  std::size_t bones = 0;
  std::vector<float> values;  ///< #atoms x #bones

  std::size_t atoms() const { return bones == 0 ? 0 : values.size() / bones; }
  const float* row(std::size_t j) const { return values.data() + j * bones; }
  float* row(std::size_t j) { return values.data() + j * bones; }
};

/// The most coefficients that a vertex may have.
constexpr std::size_t max_slots = 4;

/// A of the paper: the atoms that a vertex blends, and how much of each. Coefficients sum to 1; those of unused slots
/// are 0.
struct Code {
  std::uint32_t count = 0;
  std::uint32_t atoms[max_slots] = {};
  float values[max_slots] = {};
};

using Coding = std::vector<Code>;  ///< one per vertex

}  // namespace marrow::two_layer
