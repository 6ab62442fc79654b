#pragma once

#include "lbs/kernels/products.hpp"
#include "lbs/kernels/weights.hpp"

namespace marrow::kernels {

/// The kernels for this machine's instruction set.
const WeightKernels& weight_kernels();
ProductFunction product_kernel();

struct LbsKernels {
  WeightKernels weights;
  ProductFunction product;
};

/// Every version that this machine can run, lowest level first, for tests.
size_t runnable_lbs_levels(LbsKernels out[3]);

}  // namespace marrow::kernels
