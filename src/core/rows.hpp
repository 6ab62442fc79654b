#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace marrow {

/// Bytes needed to index `count` items.
inline std::size_t index_bytes(std::size_t count) {
  if (count <= 256) return 1;
  return count <= 65536 ? 2 : 4;
}

/// Row i has the entries [offsets[i], offsets[i + 1]).
inline std::size_t longest_row(const std::vector<std::uint32_t>& offsets) {
  std::uint32_t most = 0;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) most = std::max(most, offsets[i + 1] - offsets[i]);
  return most;
}

/// Bytes of the row lengths and source indices in a file; entries refer to one of `sources` items.
inline std::size_t row_bytes(const std::vector<std::uint32_t>& offsets, std::size_t sources) {
  if (offsets.empty()) return 0;
  return index_bytes(longest_row(offsets) + 1) * (offsets.size() - 1) + index_bytes(sources) * offsets.back();
}

/// Index of the value that files leave out because a row sums to 1: the largest (the first, if equal). It is never near
/// 0.
inline std::size_t left_out_of(std::span<const float> row) {
  return std::size_t(std::ranges::max_element(row) - row.begin());
}

/// 16-bit values are multiples of 1 / layer_steps. No stored value exceeds 1/2, since the largest is left out.
inline constexpr int layer_steps = 2 * 65535;

/// Sets the largest value to 1 minus the others, as readers of the file do.
inline void close_row(std::span<float> row) {
  float& largest = row[left_out_of(row)];
  double others = 0;
  for (const float& value : row) others += &value == &largest ? 0.0 : value;
  largest = float(1 - others);
}

}  // namespace marrow
