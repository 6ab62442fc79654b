# One interface target carries our warnings to everything we compile, another adds the base instruction set. The hot
# kernels of src/ take the first and set their own level: of two -march options the last one counts.
add_library(marrow_warnings INTERFACE)
target_compile_options(marrow_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Werror
  # Fused multiply-adds would make results depend on the machine.
  -ffp-contract=off)
add_library(marrow_flags INTERFACE)
target_link_libraries(marrow_flags INTERFACE marrow_warnings)

# Release builds run on every x86-64-v2 machine.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(MARROW_X86 ON)
  target_compile_options(marrow_flags INTERFACE -march=x86-64-v2)
endif()

if(MARROW_SANITIZE)
  target_compile_options(marrow_warnings INTERFACE -fsanitize=${MARROW_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(marrow_warnings INTERFACE -fsanitize=${MARROW_SANITIZE})
endif()
if(MARROW_COVERAGE)
  target_compile_options(marrow_warnings INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(marrow_warnings INTERFACE --coverage)
endif()
