# The target check_alone parses every file by itself, without unity builds and precompiled headers: a file that uses what
# it does not include fails, and so does a local that hides another name. Only here -Wshadow is on, since in a unity
# build it would compare files that have nothing to do with each other.
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(check_alone)
endif()

# Parses FILES with the flags of TARGET. Headers that a source of the same name includes first are parsed there.
function(marrow_check_alone target)
  if(NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  set(stamps "")
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    set(what ${file})
    if(file MATCHES "\\.hpp$")
      string(REGEX REPLACE "\\.hpp$" ".cpp" source ${file})
      get_filename_component(name ${file} NAME)
      if(EXISTS ${source})
        file(STRINGS ${source} first REGEX "^#include" LIMIT_COUNT 1)
        if(first MATCHES "[/\"]${name}\"")
          continue()
        endif()
      endif()
      set(what -include ${file} -x c++ /dev/null)  # alone it would be told that #pragma once is for headers
    endif()
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    set(stamp ${PROJECT_BINARY_DIR}/alone/${target}/${name})
    get_filename_component(folder ${stamp} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    # What is not ours may warn. (/usr/include as a system folder would hide that of the compiler.)
    set(ours "^${PROJECT_SOURCE_DIR}/|^${PROJECT_BINARY_DIR}/")
    set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    set(others "$<REMOVE_DUPLICATES:$<FILTER:${includes},EXCLUDE,${ours}|^/usr/include$>>")
    set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
    add_custom_command(
      OUTPUT ${stamp}
      COMMAND ${CMAKE_CXX_COMPILER} -fsyntax-only -std=c++20 "$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>"
              "-I$<JOIN:$<FILTER:${includes},INCLUDE,${ours}>,;-I>"
              "$<$<BOOL:${others}>:-isystem;$<JOIN:${others},;-isystem;>>"
              "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
              -Wshadow -Werror -MMD -MF ${stamp}.d -MT ${stamp} ${what}
      COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
      DEPENDS ${file} DEPFILE ${stamp}.d COMMENT "Checking ${name} alone" COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND stamps ${stamp})
  endforeach()
  add_custom_target(check_alone_${target} DEPENDS ${stamps})
  add_dependencies(check_alone check_alone_${target})
endfunction()

# The same for the sources of every target of this folder.
function(marrow_check_folder_alone)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(sources ${target} SOURCES)
    marrow_check_alone(${target} ${sources})
  endforeach()
endfunction()
