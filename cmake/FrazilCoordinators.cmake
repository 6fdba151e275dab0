# SPDX-License-Identifier: MIT
# The kinds of coordinators, as the table in src/config/coordinators.h has them: frazil_coordinators, and for each that
# needs a client library an option FRAZIL_REDIS and so on, of which FRAZIL_COORDINATORS is the default.

set(coordinators_h ${PROJECT_SOURCE_DIR}/src/config/coordinators.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${coordinators_h})
file(READ ${coordinators_h} text)
string(REGEX MATCHALL "\n +X\\([a-z]+," rows "${text}")
list(TRANSFORM rows REPLACE "^.*\\(([a-z]+),$" "\\1" OUTPUT_VARIABLE frazil_coordinators)
if(frazil_coordinators STREQUAL "")
  message(FATAL_ERROR "${coordinators_h} has no row")
endif()

set(FRAZIL_COORDINATORS AUTO CACHE STRING "The default of FRAZIL_REDIS and so on: AUTO, ON (required) or OFF")
set_property(CACHE FRAZIL_COORDINATORS PROPERTY STRINGS AUTO ON OFF)
set(frazil_client_parts ${frazil_coordinators})
list(REMOVE_ITEM frazil_client_parts file) # which needs no client library
foreach(name IN LISTS frazil_client_parts)
  string(TOUPPER ${name} upper)
  set(FRAZIL_${upper} ${FRAZIL_COORDINATORS} CACHE STRING "Worker ids from the part ${name}, through its client library: AUTO, ON (required) or OFF")
  set_property(CACHE FRAZIL_${upper} PROPERTY STRINGS AUTO ON OFF)
endforeach()

# frazil_find_client(PREFIX [MODULE...]): looks for what pkg-config calls MODULE, as the target PkgConfig::PREFIX.
macro(frazil_find_client prefix)
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(${prefix} QUIET IMPORTED_TARGET GLOBAL ${ARGN})
  endif()
endmacro()

# frazil_insist_on_client(NAME FOUND "WHAT is"): the CMakeLists.txt that calls it ends here where NAME is off, or its client library is
# not there, as the variable FOUND says.  Where NAME is on, that is an error.
macro(frazil_insist_on_client name found what)
  string(TOUPPER ${name} upper)
  if(FRAZIL_${upper} AND NOT ${found} AND NOT FRAZIL_${upper} STREQUAL "AUTO")
    message(FATAL_ERROR "FRAZIL_${upper} is on, and ${what} not found: install it with its development files and pkg-config")
  endif()
  if(NOT FRAZIL_${upper} OR NOT ${found})
    if(FRAZIL_${upper} AND DEFINED PKG_CONFIG_FOUND AND NOT PKG_CONFIG_FOUND)
      message(STATUS "${name}: left out, because pkg-config is not installed")
    else()
      message(STATUS "${name}: left out")
    endif()
    return()
  endif()
endmacro()
