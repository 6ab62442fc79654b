#pragma once

// Plain arrays only: see src/CMakeLists.txt.
#include <stddef.h>

#include "core/kernel_level.hpp"

namespace marrow::kernels::MARROW_LEVEL {

#if defined(__AVX512F__)
constexpr size_t width = 8;
#elif defined(__AVX__)
constexpr size_t width = 4;
#else
constexpr size_t width = 2;
#endif
/// As many doubles as a register of this level holds.
// NOLINTNEXTLINE(modernize-use-using): the attribute only binds to a typedef.
typedef double Vec __attribute__((vector_size(width * sizeof(double)), aligned(8), may_alias));

static inline const Vec& load(const double* p) {
  return *reinterpret_cast<const Vec*>(p);
}
static inline Vec& store(double* p) {
  return *reinterpret_cast<Vec*>(p);
}

}  // namespace marrow::kernels::MARROW_LEVEL
