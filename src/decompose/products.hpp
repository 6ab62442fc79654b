#pragma once

#include "decompose/types.hpp"

namespace marrow::ssdr {

/// a^T b, by the kernel for this machine and in parallel. The same bits for any thread count.
RowMatrix transposed_product(const RowMatrix& a, const RowMatrix& b, const Run& run);

}  // namespace marrow::ssdr
