#pragma once

/// Calls declare(level) for every level that kernels are built for; see src/CMakeLists.txt.
#ifdef MARROW_X86_LEVELS
#define MARROW_EACH_LEVEL(declare) declare(base) declare(v3) declare(v4)
#else
#define MARROW_EACH_LEVEL(declare) declare(base)
#endif

namespace marrow {

/// Whether this machine runs code for x86-64-v3 or v4. Asks for features, because not every compiler knows the levels
/// by name. No processor has these features without the rest of their level.
inline bool has_x86_v3() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

inline bool has_x86_v4() {
#ifdef __x86_64__
  return has_x86_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

}  // namespace marrow
