#pragma once

// Plain arrays only: see src/CMakeLists.txt.
#include <stddef.h>

#include "core/kernel_level.hpp"

namespace marrow::kernels::MARROW_LEVEL {

/// Doubles per register of this level.
constexpr size_t width = register_bytes / sizeof(double);
// NOLINTNEXTLINE(modernize-use-using): the attribute only binds to a typedef.
typedef double Vec __attribute__((vector_size(register_bytes), aligned(8), may_alias));

static inline const Vec& load(const double* p) {
  return *reinterpret_cast<const Vec*>(p);
}
static inline Vec& store(double* p) {
  return *reinterpret_cast<Vec*>(p);
}

}  // namespace marrow::kernels::MARROW_LEVEL
