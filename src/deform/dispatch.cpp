#include "core/cpu_level.hpp"
#include "deform/kernels/skin.hpp"

namespace marrow::kernels {

#define MARROW_DECLARE_SKIN(level)                                                               \
  namespace level {                                                                              \
  void skin(const SkinView& view, const double* matrices, float* out, size_t begin, size_t end); \
  }
MARROW_EACH_LEVEL(MARROW_DECLARE_SKIN)
#undef MARROW_DECLARE_SKIN

size_t runnable_skin_levels(SkinLevel out[3]) {
  size_t count = 0;
  out[count++] = {"base", base::skin};
#ifdef MARROW_X86_LEVELS
  if (has_x86_v3()) out[count++] = {"v3", v3::skin};
  if (has_x86_v4()) out[count++] = {"v4", v4::skin};
#endif
  return count;
}

SkinFunction best_skin() {
  static const SkinFunction best = [] {
    SkinLevel levels[3];
    return levels[runnable_skin_levels(levels) - 1].function;
  }();
  return best;
}

}  // namespace marrow::kernels
