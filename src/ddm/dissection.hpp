#pragma once

#include <span>
#include <vector>

#include "ddm/surface.hpp"

namespace marrow::ddm {

/// An order of elimination that leaves little fill: the surface is cut in two halves by a plane across it, again and
/// again, and the points along each cut come after both halves; within small parts, approximate minimum degree.
/// Result: the point at each place. `points`: where the rows of `a` are.
std::vector<int> dissection_order(const SparseMatrix& a, std::span<const Point> points);

}  // namespace marrow::ddm
