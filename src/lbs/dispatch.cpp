#include "lbs/dispatch.hpp"

#include "core/cpu_level.hpp"

namespace marrow::kernels {

#define MARROW_DECLARE(level)                                                                     \
  namespace level {                                                                               \
  void single_errors(const WeightProblem&, const double*, const double*, const double*, double*); \
  void weights(const WeightProblem&, const WeightBlock&);                                         \
  void losses(const WeightProblem&, const WeightBlock&, double*);                                 \
  void product(size_t, size_t, size_t, MatrixView, MatrixView, double*, size_t);                  \
  inline constexpr LbsKernels lbs = {{single_errors, weights, losses}, product};                  \
  }
MARROW_EACH_LEVEL(MARROW_DECLARE)
#undef MARROW_DECLARE

size_t runnable_lbs_levels(LbsKernels out[3]) {
  size_t count = 0;
  out[count++] = base::lbs;
#ifdef MARROW_X86_LEVELS
  if (has_x86_v3()) out[count++] = v3::lbs;
  if (has_x86_v4()) out[count++] = v4::lbs;
#endif
  return count;
}

namespace {

const LbsKernels& best_level() {
  static const LbsKernels best = [] {
    LbsKernels levels[3];
    return levels[runnable_lbs_levels(levels) - 1];
  }();
  return best;
}

}  // namespace

const WeightKernels& weight_kernels() {
  return best_level().weights;
}

ProductFunction product_kernel() {
  return best_level().product;
}

size_t weight_scratch(size_t bones, size_t influences) {
  const size_t size = influences + 1;
  // linear terms of a block; b, diagonal, product, gain; rows; row table; D, factor, L, 1 / p, solution; candidates
  return bones * lanes + 4 * bones + 3 * size * bones + bones + 3 * size * size + 2 * size + 4 * size;
}

}  // namespace marrow::kernels
