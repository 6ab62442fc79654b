#pragma once

#include <span>
#include <vector>

#include "ddm/surface.hpp"

namespace marrow::ddm {

/// Columns [first, first + width) of the factor, which share the rows below them.
struct Block {
  int first = 0;
  int width = 0;
  std::vector<int> rows;      ///< below the block, ascending
  std::vector<int> children;  ///< blocks whose first row is in this one
};

/// In which order rows are eliminated, and what the factor will look like.
struct Elimination {
  /// `points`: where the rows of `a` are.
  Elimination(const SparseMatrix& a, std::span<const Point> points);

  std::vector<int> place, point;
  std::vector<Block> blocks;  ///< children before their parents
};

}  // namespace marrow::ddm
