# SPDX-License-Identifier: MIT
# A static library that exports only what the shared one does.
#
#   frazil_static_library(TARGET OUTPUT_NAME [ONLY PATTERN...] ROOMS ROOM...)
#
# An archive has no hidden symbols: fz_ functions of several files must be global
# there, and would meet those of other libraries.  So the rooms are linked into
# one object first, in which all hidden symbols are then made local, or all but
# those that it is for.
# The runtimes of coverage and of sanitizers are themselves reached through
# hidden symbols: instrumented builds archive the rooms as they are.

function(frazil_static_library target output_name)
  cmake_parse_arguments(PARSE_ARGV 2 library "" "" "ONLY;ROOMS")
  set(objects "")
  foreach(room IN LISTS library_ROOMS)
    list(APPEND objects $<TARGET_OBJECTS:${room}>)
  endforeach()
  set(hide --localize-hidden)
  if(library_ONLY)
    set(hide --wildcard)
    foreach(pattern IN LISTS library_ONLY)
      list(APPEND hide --keep-global-symbol=${pattern})
    endforeach()
  endif()
  if(FRAZIL_INSTRUMENTED)
    add_library(${target} STATIC ${objects})
  else()
    set(whole ${CMAKE_CURRENT_BINARY_DIR}/${output_name}.o)
    add_custom_command(
      OUTPUT ${whole}
      COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${whole} ${objects}
      COMMAND ${CMAKE_OBJCOPY} ${hide} ${whole}
      DEPENDS ${objects} ${library_ROOMS}
      COMMAND_EXPAND_LISTS VERBATIM
      COMMENT "Linking ${output_name}.o with its hidden symbols made local")
    add_library(${target} STATIC ${whole})
    set_source_files_properties(${whole} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${output_name})
endfunction()
