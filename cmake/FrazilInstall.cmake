# SPDX-License-Identifier: MIT
# What `cmake --install` puts where.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/frazil)
set(libraries frazil_shared frazil_static)
set(pkgconfig_files frazil)
install(FILES include/frazil.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/frazil DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN opaque.h EXCLUDE)

get_property(parts GLOBAL PROPERTY frazil_parts)
foreach(part IN LISTS parts)
  list(APPEND libraries frazil_part_${part})
  install(TARGETS frazil_part_${part}_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()

if(FRAZIL_OPAQUE)
  list(APPEND libraries frazil_opaque_shared frazil_opaque_static)
  list(APPEND pkgconfig_files frazil-opaque)
  install(FILES include/frazil/opaque.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/frazil)
  set(pc_opaque_requires_private "")
  if(FRAZIL_OPAQUE_LIBCRYPTO)
    set(pc_opaque_requires_private libcrypto)
  endif()
endif()

install(TARGETS ${libraries} EXPORT frazilTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT frazilTargets NAMESPACE frazil:: DESTINATION ${package_dir})
configure_package_config_file(cmake/frazilConfig.cmake.in frazilConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(frazilConfigVersion.cmake COMPATIBILITY SameMinorVersion)
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
  configure_file(cmake/frazil-part.pc.in frazil-${part}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/frazil-${part}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

file(GLOB library_pages CONFIGURE_DEPENDS man/*.3)
install(FILES ${library_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)

if(FRAZIL_COMMAND)
  install(TARGETS frazil RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  foreach(section 1 5 7)
    file(GLOB pages CONFIGURE_DEPENDS man/*.${section})
    install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
  endforeach()
  install(FILES completions/frazil.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME frazil)
  install(FILES completions/_frazil DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
