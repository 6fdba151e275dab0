# SPDX-License-Identifier: MIT
# What `cmake --install` puts where.

include(CMakePackageConfigHelpers)

# After `sudo make install`, a user could not write this file again, and `make install PREFIX=...` would fail at its end.
install(CODE "file(REMOVE \"${PROJECT_BINARY_DIR}/install_manifest.txt\")")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/frazil)
set(pkgconfig_files frazil)
install(FILES include/frazil.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/frazil DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN opaque.h EXCLUDE)

# frazil_install_libraries(COMPONENT TARGET...): the libraries, and a file that tells CMake of them, so that what is
# optional can be installed or not (frazilConfig.cmake.in).
function(frazil_install_libraries component)
  install(TARGETS ${ARGN} EXPORT ${component}Targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT ${component}Targets NAMESPACE frazil:: DESTINATION ${package_dir})
endfunction()

get_property(parts GLOBAL PROPERTY frazil_parts)
frazil_install_libraries(frazil frazil_shared frazil_static frazil_part_file)
foreach(part IN LISTS parts)
  if(NOT part STREQUAL "file")
    frazil_install_libraries(frazil-${part} frazil_part_${part})
  endif()
  install(TARGETS frazil_part_${part}_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()

frazil_install_libraries(frazil-admin frazil_admin_shared frazil_admin_static)
list(APPEND pkgconfig_files frazil-admin)
frazil_install_libraries(frazil-extras frazil_extras_shared frazil_extras_static)
list(APPEND pkgconfig_files frazil-extras)

if(FRAZIL_OPAQUE)
  frazil_install_libraries(frazil-opaque frazil_opaque_shared frazil_opaque_static)
  list(APPEND pkgconfig_files frazil-opaque)
  install(FILES include/frazil/opaque.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/frazil)
  set(pc_opaque_requires_private "")
  if(FRAZIL_OPAQUE_LIBCRYPTO)
    set(pc_opaque_requires_private libcrypto)
  endif()
endif()

list(JOIN frazil_client_parts " " frazil_client_parts_in_words)
configure_package_config_file(cmake/frazilConfig.cmake.in frazilConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(frazilConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/frazilConfig.cmake ${PROJECT_BINARY_DIR}/frazilConfigVersion.cmake
        DESTINATION ${package_dir})

# Paths in pkg-config files are relative to the prefix where they can be, so that a tree can be moved.
foreach(kind INCLUDE LIB)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}DIR}")
    set(pc_${kind}dir "${CMAKE_INSTALL_${kind}DIR}")
  else()
    set(pc_${kind}dir "\${prefix}/${CMAKE_INSTALL_${kind}DIR}")
  endif()
endforeach()
foreach(name IN LISTS pkgconfig_files)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

foreach(part IN LISTS parts)
  get_property(pc_part_requires_private GLOBAL PROPERTY frazil_part_requires_${part})
  get_property(pc_part_libs_private GLOBAL PROPERTY frazil_part_libs_${part})
  configure_file(cmake/frazil-part.pc.in frazil-${part}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/frazil-${part}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# Manual pages; those of section 1 are the command's, those of section 8 the daemon's.
set(sections 5 7)
if(FRAZIL_COMMAND)
  list(APPEND sections 1)
  install(TARGETS frazil RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES completions/frazil.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME frazil)
  install(FILES completions/_frazil DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES completions/frazil.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
if(TARGET frazild)
  list(APPEND sections 8)
  install(TARGETS frazild RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR})
endif()
foreach(section IN LISTS sections)
  file(GLOB pages CONFIGURE_DEPENDS man/*.${section})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()

# Those of section 3 are written from the headers.
file(GLOB headers CONFIGURE_DEPENDS include/frazil/*.h)
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/man/man3/libfrazil.3
  COMMAND sh tools/man-pages ${PROJECT_BINARY_DIR}/man/man3
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  DEPENDS tools/man-pages tools/man-pages.awk man/frazil.7 include/frazil.h ${headers}
  VERBATIM)
add_custom_target(frazil_man_pages ALL DEPENDS ${PROJECT_BINARY_DIR}/man/man3/libfrazil.3)
install(DIRECTORY ${PROJECT_BINARY_DIR}/man/man3 DESTINATION ${CMAKE_INSTALL_MANDIR})

# The page, where `make page` has built it: it needs a compiler for WebAssembly.  Beside it the manual that it leads to, where
# `make manual` has built that.
install(FILES ${PROJECT_SOURCE_DIR}/build/web/frazil.html DESTINATION ${CMAKE_INSTALL_DATADIR}/frazil OPTIONAL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/build/manual DESTINATION ${CMAKE_INSTALL_DATADIR}/frazil OPTIONAL)

# The folders keep their names, so that what one page links to in another is found.
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples contrib DESTINATION ${CMAKE_INSTALL_DOCDIR}
        PATTERN docs/html EXCLUDE PATTERN Doxyfile EXCLUDE) # those are of use in the source tree only
