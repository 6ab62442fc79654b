#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace marrow {

/// Numbers in rows and columns.
///
/// Invariant: values.size() == rows * columns, all finite.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<float> values;  ///< row by row

  std::span<const float> row(std::size_t i) const { return {values.data() + i * columns, columns}; }
  std::span<float> row(std::size_t i) { return {values.data() + i * columns, columns}; }
  bool operator==(const Matrix&) const = default;
};

}  // namespace marrow
