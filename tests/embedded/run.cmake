# Warnings are errors where Marrow itself is built, not for those who embed it. Configures the embedding project and
# builds the kernels, which are compiled in seconds and warn there; with MARROW_WERROR the same build has to fail.
# -DMARROW=... the sources, -DSOURCE=... this folder, -DWORK=... scratch, -DGENERATOR=...
function(build result)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} -G ${GENERATOR} -DMARROW=${MARROW} ${ARGN}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK} --target marrow_kernels_base RESULT_VARIABLE code
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
  set(${result} ${code} PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
build(embedded)
if(NOT embedded EQUAL 0 OR NOT output MATCHES "missing-declarations")
  message(FATAL_ERROR "kernels of an embedded build have to warn and to build:\n${output}")
endif()
file(READ ${WORK}/compile_commands.json commands)
if(commands MATCHES "-Werror")
  message(FATAL_ERROR "-Werror reaches those who embed us: see ${WORK}/compile_commands.json")
endif()
if(commands MATCHES "marrow_tool|marrow_tests")
  message(FATAL_ERROR "the tool or tests are built for those who embed us: see ${WORK}/compile_commands.json")
endif()
build(strict -DMARROW_WERROR=ON)
if(strict EQUAL 0)
  message(FATAL_ERROR "MARROW_WERROR does not make warnings errors")
endif()
