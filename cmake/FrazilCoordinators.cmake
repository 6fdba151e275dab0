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
