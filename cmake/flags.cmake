# Compile flags as interface targets: marrow_flags for everything except the kernels of src/, which set their own
# instruction set and use marrow_kernel_flags (of two -march options, the last one counts).
add_library(marrow_flags INTERFACE)
add_library(marrow_kernel_flags INTERFACE)
foreach(flags marrow_flags marrow_kernel_flags)
  target_compile_options(${flags} INTERFACE
    -Wall -Wextra -Wconversion $<$<BOOL:${MARROW_WERROR}>:-Werror>
    # Fused multiply-adds would make results depend on the machine.
    -ffp-contract=off)
  if(MARROW_SANITIZE)
    target_compile_options(${flags} INTERFACE -fsanitize=${MARROW_SANITIZE} -fno-omit-frame-pointer
                                              -fno-sanitize-recover=all)
    target_link_options(${flags} INTERFACE -fsanitize=${MARROW_SANITIZE})
  endif()
  if(MARROW_COVERAGE)
    target_compile_options(${flags} INTERFACE --coverage -fprofile-update=atomic)
    target_link_options(${flags} INTERFACE --coverage)
  endif()
endforeach()
# Eigen splits products by the cache sizes it finds, so that sums would differ between machines. All published figures
# were measured with these sizes.
target_compile_definitions(marrow_flags INTERFACE EIGEN_NO_CPUID EIGEN_DEFAULT_L1_CACHE_SIZE=49152
  EIGEN_DEFAULT_L2_CACHE_SIZE=2097152 EIGEN_DEFAULT_L3_CACHE_SIZE=33554432)
if(MARROW_SANITIZE)
  # These two double the compile time. The address sanitizer finds null pointers too, and only kernels cast pointers.
  target_compile_options(marrow_flags INTERFACE -fno-sanitize=null,alignment)
endif()

# Release builds run on every x86-64-v2 machine.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(MARROW_X86 ON)
  target_compile_options(marrow_flags INTERFACE -march=x86-64-v2)
endif()
