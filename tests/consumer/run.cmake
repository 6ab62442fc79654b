# Installs the build into a fresh prefix, then builds and runs the consumer project against it.
# -DBUILD=... the build to install, -DSOURCE=... this folder, -DWORK=... scratch, -DGENERATOR=..., -DTYPE=..., -DFLAGS=...
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
step(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_BUILD_TYPE=${TYPE}
     -DCMAKE_PREFIX_PATH=${WORK}/prefix "-DCMAKE_CXX_FLAGS=${FLAGS}")
step(${CMAKE_COMMAND} --build ${WORK}/build)
step(${WORK}/build/consumer)
if(EXISTS ${WORK}/prefix/bin/marrow)
  step(${WORK}/prefix/bin/marrow --version)
endif()
