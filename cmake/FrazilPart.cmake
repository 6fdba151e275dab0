# SPDX-License-Identifier: MIT
# A part that knows a kind of coordinator: a library of its own, so that libfrazil needs libc and threads only.
#
#   frazil_part(redis ROOMS redis LIBRARIES PkgConfig::HIREDIS REQUIRES hiredis)
#
# makes libfrazil-redis, shared and static, out of these rooms and those below
# them.  It exports nothing but frazil_coordinator_redis: whatever it shares with libfrazil is
# in it once more, out of reach of everybody else.  REQUIRES is what pkg-config
# calls the LIBRARIES.
#
# Parts lie in one folder of the build tree, where the programs of that tree find
# them (frazil_finds_parts), and beside libfrazil when they are installed.

set(frazil_parts_dir ${PROJECT_BINARY_DIR}/parts)

function(frazil_part name)
  cmake_parse_arguments(PARSE_ARGV 1 part "" "" "ROOMS;LIBRARIES;REQUIRES")
  set(rooms frazil_core frazil_os frazil_lease)
  foreach(room IN LISTS part_ROOMS)
    list(APPEND rooms frazil_${room})
  endforeach()
  set(objects "")
  foreach(room IN LISTS rooms)
    list(APPEND objects $<TARGET_OBJECTS:${room}>)
  endforeach()

  set(shared frazil_part_${name})
  set(exports ${CMAKE_CURRENT_BINARY_DIR}/${name}.exports)
  file(CONFIGURE OUTPUT ${exports} CONTENT "FRAZIL_1.0 { global: frazil_coordinator_${name}; local: *; };\n")
  add_library(${shared} SHARED ${objects})
  set_target_properties(${shared} PROPERTIES
    OUTPUT_NAME frazil-${name} VERSION ${PROJECT_VERSION} SOVERSION ${FRAZIL_SOVERSION} EXPORT_NAME frazil_${name}
    LIBRARY_OUTPUT_DIRECTORY ${frazil_parts_dir} LINK_DEPENDS ${exports})
  frazil_compile_options(${shared})
  target_link_options(${shared} PRIVATE -Wl,--gc-sections -Wl,--version-script=${exports})
  frazil_stays_loaded(${shared})
  if(NOT FRAZIL_INSTRUMENTED) # an instrument's runtime is in the program
    target_link_options(${shared} PRIVATE -Wl,-z,defs)
  endif()

  frazil_static_library(${shared}_static frazil-${name} ONLY frazil_coordinator_${name} ROOMS ${rooms})
  set_target_properties(${shared}_static PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${frazil_parts_dir})
  foreach(library ${shared} ${shared}_static)
    target_link_libraries(${library} PRIVATE Threads::Threads ${part_LIBRARIES})
    target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()
  add_library(frazil::frazil_${name} ALIAS ${shared})

  list(JOIN part_REQUIRES " " requires)
  set_property(GLOBAL APPEND PROPERTY frazil_parts ${name})
  set_property(GLOBAL PROPERTY frazil_part_requires_${name} "${requires}")
  # A client library that pkg-config does not know is named by its file.
  set(libs "")
  if(NOT requires)
    foreach(library IN LISTS part_LIBRARIES)
      cmake_path(GET library STEM stem)
      string(REGEX REPLACE "^lib" "-l" lib ${stem})
      string(APPEND libs " ${lib}")
    endforeach()
  endif()
  set_property(GLOBAL PROPERTY frazil_part_libs_${name} "${libs}")
endfunction()

# Lets a program or library of the build tree load the parts that were built with it.
function(frazil_finds_parts target)
  set_property(TARGET ${target} APPEND PROPERTY BUILD_RPATH ${frazil_parts_dir})
endfunction()

# Puts a program into the build tree's bin, and lets it load the libraries there and where it is installed.
function(frazil_program target)
  frazil_finds_parts(${target})
  set(libraries "\$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(libraries "${CMAKE_INSTALL_LIBDIR}")
  endif()
  set_target_properties(${target} PROPERTIES
    INSTALL_RPATH "${libraries}" RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()
