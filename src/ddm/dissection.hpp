#pragma once

#include <span>
#include <vector>

#include "ddm/surface.hpp"

namespace marrow::ddm {

/// A fill-reducing order of elimination: the point at each place. Cuts the surface by planes recursively; separators
/// come after both halves. `points`: position of each row of `a`.
std::vector<int> dissection_order(const SparseMatrix& a, std::span<const Point> points);

}  // namespace marrow::ddm
