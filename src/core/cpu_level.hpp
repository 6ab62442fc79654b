#pragma once

/// Calls declare(level) for every level that kernels are built for; see src/CMakeLists.txt.
#ifdef MARROW_X86_LEVELS
#define MARROW_EACH_LEVEL(declare) declare(base) declare(v3) declare(v4)
#else
#define MARROW_EACH_LEVEL(declare) declare(base)
#endif

namespace marrow {

/// Whether this machine runs code for x86-64-v3 or v4. Asks for features, because not every compiler knows the levels
/// by name. No processor has these features without the rest of their level. The environment variable MARROW_KERNELS
/// (base, v3 or v4; for tests) sets the highest level to use.
bool has_x86_v3();
bool has_x86_v4();

}  // namespace marrow
