#pragma once

// Plain arrays only: see src/CMakeLists.txt.
#include <stddef.h>

namespace marrow::kernels {

/// A row-major matrix, possibly part of a larger one.
struct MatrixView {
  const double* data;
  size_t stride;  ///< from one row to the next
};

/// C = A^T B, with A rows x n, B rows x m and C n x m, all row-major. Every entry is summed over the rows in order, so
/// the result does not depend on how the work is cut.
using ProductFunction = void (*)(size_t rows, size_t n, size_t m, MatrixView a, MatrixView b, double* c, size_t stride);

/// Number of columns of B rounded up to whole tiles at every level, which are faster.
constexpr size_t whole_tiles(size_t columns) {
  return (columns + 15) / 16 * 16;
}

}  // namespace marrow::kernels
