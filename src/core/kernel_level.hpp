#pragma once

// For files that are built once per instruction-set level; see src/CMakeLists.txt.
#ifdef MARROW_LEVEL_DEFINES
static_assert(MARROW_LEVEL_DEFINES, "this kernel is not built for the level it says");
#endif
