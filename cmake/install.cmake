install(TARGETS marrow EXPORT marrow_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/marrow DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp")
install(FILES ${PROJECT_BINARY_DIR}/generated/marrow/version.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/marrow)
if(MARROW_BUILD_TOOL)
  install(TARGETS marrow_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/marrow)
install(EXPORT marrow_targets NAMESPACE marrow:: FILE marrowTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/marrowConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/marrowConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/marrowConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/marrowConfig.cmake ${PROJECT_BINARY_DIR}/marrowConfigVersion.cmake
        DESTINATION ${package_dir})
