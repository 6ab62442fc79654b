#pragma once

#include "lbs/kernels/products.hpp"
#include "lbs/kernels/weights.hpp"

namespace marrow::kernels {

/// The kernels for this machine's instruction set.
const WeightKernels& weight_kernels();
ProductFunction product_kernel();

}  // namespace marrow::kernels
