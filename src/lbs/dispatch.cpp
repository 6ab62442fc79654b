#include "lbs/dispatch.hpp"

#include "core/cpu_level.hpp"

namespace marrow::kernels {

#define MARROW_DECLARE(level)                                                                     \
  namespace level {                                                                               \
  void single_errors(const WeightProblem&, const double*, const double*, const double*, double*); \
  void weights(const WeightProblem&, const WeightBlock&);                                         \
  void losses(const WeightProblem&, const WeightBlock&, double*);                                 \
  void product(size_t, size_t, size_t, MatrixView, MatrixView, double*, size_t);                  \
  }
MARROW_EACH_LEVEL(MARROW_DECLARE)
#undef MARROW_DECLARE

const WeightKernels& weight_kernels() {
  static const WeightKernels best = [] {
#ifdef MARROW_X86_LEVELS
    if (has_x86_v4()) return WeightKernels{v4::single_errors, v4::weights, v4::losses};
    if (has_x86_v3()) return WeightKernels{v3::single_errors, v3::weights, v3::losses};
#endif
    return WeightKernels{base::single_errors, base::weights, base::losses};
  }();
  return best;
}

ProductFunction product_kernel() {
  static const ProductFunction best = [] {
#ifdef MARROW_X86_LEVELS
    if (has_x86_v4()) return v4::product;
    if (has_x86_v3()) return v3::product;
#endif
    return base::product;
  }();
  return best;
}

size_t weight_scratch(size_t bones, size_t influences) {
  const size_t size = influences + 1;
  // linear terms of a block; b, diagonal, product, gain; rows; row table; D, factor, L, 1 / p, solution; candidates
  return bones * lanes + 4 * bones + 3 * size * bones + bones + 3 * size * size + 2 * size + 4 * size;
}

}  // namespace marrow::kernels
