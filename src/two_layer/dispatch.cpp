#include "core/cpu_level.hpp"
#include "two_layer/kernels/search.hpp"

namespace marrow::kernels {

#define MARROW_DECLARE(level)                                                                      \
  namespace level {                                                                                \
  void add_product(size_t, size_t, const float*, const float*, float*);                            \
  void turn(size_t, size_t, const float*, const float*, float*);                                   \
  void contract(size_t, size_t, const float*, const float*, float*);                               \
  void pair_errors(const float*, size_t, float, float, float*, float*);                            \
  void line_gains(const float*, const float*, size_t, const BlendView&, bool, float*);             \
  void distances(const AtomTiles&, const float*, float*, float*);                                  \
  void partners(const AtomTiles&, const PartnerProblem&, uint32_t*);                               \
  void lines(const AtomTiles&, const AtomTiles&, const LineProblem&, const Line*, float*, float*); \
  inline constexpr SearchKernels search = {add_product, turn,      contract, pair_errors,          \
                                           line_gains,  distances, partners, lines};               \
  }
MARROW_EACH_LEVEL(MARROW_DECLARE)
#undef MARROW_DECLARE

size_t runnable_search_levels(SearchKernels out[3]) {
  size_t count = 0;
  out[count++] = base::search;
#ifdef MARROW_X86_LEVELS
  if (has_x86_v3()) out[count++] = v3::search;
  if (has_x86_v4()) out[count++] = v4::search;
#endif
  return count;
}

const SearchKernels& search_kernels() {
  static const SearchKernels best = [] {
    SearchKernels levels[3];
    return levels[runnable_search_levels(levels) - 1];
  }();
  return best;
}

}  // namespace marrow::kernels
