#include "core/cpu_level.hpp"

#include <cstdlib>
#include <string_view>

namespace marrow {
namespace {

/// Whether MARROW_KERNELS names no level below this one.
bool allowed(std::string_view level) {
  const char* highest = std::getenv("MARROW_KERNELS");
  return highest == nullptr || std::string_view(highest) >= level;  // "base" < "v3" < "v4"
}

}  // namespace

bool has_x86_v3() {
#ifdef __x86_64__
  return allowed("v3") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

bool has_x86_v4() {
#ifdef __x86_64__
  return allowed("v4") && has_x86_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

}  // namespace marrow
