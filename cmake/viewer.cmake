# Embeds the built page (viewer/dist/index.html) in the library, so that the installed tool needs no other file. Without
# the page the library builds too, and write_page() says what to run. Included where the target marrow is made.
file(GLOB viewer_page CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/dist/index.html)
if(NOT viewer_page)
  message(STATUS "viewer/dist/index.html is missing, so `marrow view` will not work; scripts/build-viewer makes it")
endif()
set(viewer_source ${PROJECT_BINARY_DIR}/generated/page_template.cpp)
add_custom_command(
  OUTPUT ${viewer_source}
  COMMAND ${CMAKE_COMMAND} "-DPAGE=${viewer_page}" "-DOUTPUT=${viewer_source}"
          -P ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  DEPENDS ${viewer_page} ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  COMMENT "Embedding the viewer's page" VERBATIM)
target_sources(marrow PRIVATE ${viewer_source})
target_link_libraries(marrow PRIVATE ZLIB::ZLIB)
