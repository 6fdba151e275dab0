# SPDX-License-Identifier: MIT
# A room is a folder of src/ that may see the public headers, itself and the
# rooms below it that it names.
#
#   frazil_room(generator SEES core os)
#
# makes the object library frazil_generator from the folder's *.c.  Other rooms'
# headers are included by room ("core/slot.h"), so each room needs an include
# folder that holds nothing but itself: a link in the build tree.
# Including a room that is not named fails to compile.

function(frazil_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "SEES")
  set(links ${PROJECT_BINARY_DIR}/rooms)
  file(MAKE_DIRECTORY ${links}/${name})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${links}/${name}/${name} SYMBOLIC)

  file(GLOB sources CONFIGURE_DEPENDS *.c)
  add_library(frazil_${name} OBJECT ${sources})
  frazil_compile_options(frazil_${name})
  # So that the linker can leave out of the library what nothing in it calls.
  target_compile_options(frazil_${name} PRIVATE -ffunction-sections -fdata-sections)
  target_include_directories(frazil_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  foreach(seen IN LISTS name room_SEES)
    target_include_directories(frazil_${name} PRIVATE ${links}/${seen})
  endforeach()
  target_link_libraries(frazil_${name} PRIVATE Threads::Threads)
endfunction()
