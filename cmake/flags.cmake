# One interface target carries our warnings and the base instruction set to everything we compile.
add_library(marrow_flags INTERFACE)
target_compile_options(marrow_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Werror
  # Fused multiply-adds would make results depend on the machine.
  -ffp-contract=off)

# Release builds run on every x86-64-v2 machine; src/deform has the kernels that are built for more.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(MARROW_X86 ON)
  target_compile_options(marrow_flags INTERFACE -march=x86-64-v2)
endif()

if(MARROW_SANITIZE)
  target_compile_options(marrow_flags INTERFACE -fsanitize=${MARROW_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(marrow_flags INTERFACE -fsanitize=${MARROW_SANITIZE})
endif()
if(MARROW_COVERAGE)
  target_compile_options(marrow_flags INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(marrow_flags INTERFACE --coverage)
endif()
