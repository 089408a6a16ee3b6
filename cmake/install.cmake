# What `cmake --install` puts where: libraries, headers, the CMake package and clpatterns.pc.
# Two components, as distributions split them: runtime (the shared library, the program) and development.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/clpatterns)

set_target_properties(clpatterns_static PROPERTIES EXPORT_NAME static)
install(TARGETS clpatterns clpatterns_static EXPORT clpatterns
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
if(TARGET clpatterns_program)
  install(TARGETS clpatterns_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
endif()
install(DIRECTORY include/clpatterns DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h")
install(EXPORT clpatterns NAMESPACE clpatterns:: FILE clpatternsTargets.cmake
  DESTINATION ${package_dir} COMPONENT development)

configure_package_config_file(cmake/clpatternsConfig.cmake.in clpatternsConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
else()
  set(compatibility SameMajorVersion)
endif()
write_basic_package_version_file(clpatternsConfigVersion.cmake COMPATIBILITY ${compatibility})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/clpatternsConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/clpatternsConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)

# The .pc file finds its prefix from its own place, so that an installed tree can be moved and
# `cmake --install --prefix` needs no second configuration. Absolute folders stay absolute.
set(pc_prefix ${CMAKE_INSTALL_PREFIX})
set(pc_libdir ${CMAKE_INSTALL_LIBDIR})
set(pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  file(RELATIVE_PATH up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" /prefix)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(pc_prefix "\${pcfiledir}/${up}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(cmake/clpatterns.pc.in clpatterns.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/clpatterns.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
