#pragma once

#include "lbs/matrices.hpp"
#include "marrow/run.hpp"

namespace marrow::lbs {

/// a^T b by the kernel of this machine, in parallel. The same bits for any thread count.
RowMatrix transposed_product(const RowMatrix& a, const RowMatrix& b, const Run& run);

}  // namespace marrow::lbs
