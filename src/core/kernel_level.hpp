#pragma once

#include <stddef.h>

// For files built once per instruction-set level; see src/CMakeLists.txt.
#ifdef MARROW_LEVEL_DEFINES
static_assert(MARROW_LEVEL_DEFINES, "this kernel is not built for the level it says");
#endif

namespace marrow::kernels::MARROW_LEVEL {

/// Bytes of a vector register.
#if defined(__AVX512F__)
constexpr size_t register_bytes = 64;
#elif defined(__AVX__)
constexpr size_t register_bytes = 32;
#else
constexpr size_t register_bytes = 16;
#endif

}  // namespace marrow::kernels::MARROW_LEVEL
