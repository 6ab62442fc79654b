#pragma once

#include <span>
#include <vector>

#include "ddm/surface.hpp"

namespace marrow::ddm {

/// A supernode: columns [first, first + width) of the factor with the same rows below them.
struct Block {
  int first = 0;
  int width = 0;
  std::vector<int> rows;      ///< below the block, ascending
  std::vector<int> children;  ///< blocks whose first row is in this one
};

/// Order of elimination and structure of the factor.
struct Elimination {
  /// `points`: position of each row of `a`.
  Elimination(const SparseMatrix& a, std::span<const Point> points);

  std::vector<int> place, point;  ///< place in the order of each point; point at each place
  std::vector<Block> blocks;      ///< children before their parents
};

}  // namespace marrow::ddm
