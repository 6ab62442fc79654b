// Linear blend skinning, built once per instruction-set level with MARROW_LEVEL set; see src/CMakeLists.txt. The order
// of operations is that of the scalar reference and multiply-adds are not fused: every level gives the same bits.
#include "deform/kernels/skin.hpp"

#include "core/kernel_level.hpp"

namespace marrow::kernels::MARROW_LEVEL {

void skin(const SkinView& view, const double* matrices, float* out, size_t begin, size_t end) {
  const float *rest = view.rest, *weights = view.weights;
  const uint32_t *offsets = view.offsets, *bones = view.bones;
  for (size_t i = begin; i < end; ++i) {
    alignas(64) double blend[16] = {};
    for (uint32_t e = offsets[i]; e < offsets[i + 1]; ++e) {
      const double w = weights[e];
      const double* matrix = matrices + size_t(16) * bones[e];
      for (size_t q = 0; q < 16; ++q) blend[q] += w * matrix[q];
    }
    const double x = rest[3 * i], y = rest[3 * i + 1], z = rest[3 * i + 2];
    double p[4];
    for (size_t r = 0; r < 4; ++r) p[r] = blend[r] * x + blend[4 + r] * y + blend[8 + r] * z + blend[12 + r];
    for (size_t r = 0; r < 3; ++r) out[3 * i + r] = float(p[r]);
  }
}

}  // namespace marrow::kernels::MARROW_LEVEL
