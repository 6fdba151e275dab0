# SPDX-License-Identifier: MIT
# A cmocka program for each test_*.c, and the tests of what runs them.

set(folders unit concurrency process registers)
if(NOT CMAKE_CROSSCOMPILING)
  list(APPEND folders nemesis) # its rounds are of real servers and of minutes
endif()
foreach(folder IN LISTS folders)
  set(timeout_s 300)
  set(alone OFF)
  if(NOT folder STREQUAL "unit")
    set(timeout_s 1800)
  endif()
  math(EXPR timeout_s "${timeout_s} * ${slowdown}")
  if(NOT folder MATCHES "^(unit|registers)$")
    set(alone ON) # they want all processors
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/test_*.c)
  if(CMAKE_CROSSCOMPILING)
    list(FILTER sources EXCLUDE REGEX test_fork_unwiped) # an emulator wipes no page: test_fork shows the same
  endif()
  if(absent_parts STREQUAL "${parts}")
    list(FILTER sources EXCLUDE REGEX test_flood) # nobody would be flooded
  endif()
  if(FRAZIL_SANITIZE MATCHES address)
    # Leaks cannot be looked for in a set-user-ID program, and a sanitizer's own memory cannot be read through.
    list(FILTER sources EXCLUDE REGEX "test_(setuid|wipe|joint_fork)") # the last has an allocator of its own
  endif()
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    string(REGEX REPLACE "^test_([a-z]+).*$" "\\1" part ${name})
    if(part IN_LIST absent_parts)
      continue()
    endif()
    set(target ${folder}_${name})
    add_executable(${target} ${source} ${lib_objects})
    frazil_compile_options(${target})
    frazil_test_includes(${target})
    target_link_libraries(${target} PRIVATE frazil_test_objects)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${folder}
                                               OUTPUT_NAME ${name})
    add_test(NAME ${folder}/${name} COMMAND ${target})
    set_tests_properties(${folder}/${name} PROPERTIES LABELS ${folder} TIMEOUT ${timeout_s} RUN_SERIAL ${alone}
                                                    ENVIRONMENT "${test_environment}")
    frazil_leave_out(${folder}/${name})
  endforeach()
endforeach()

# The library as programs load it.
target_compile_definitions(process_test_two_copies PRIVATE FRAZIL_SHARED_LIBRARY="$<TARGET_FILE:frazil_shared>")
add_dependencies(process_test_two_copies frazil_shared)

# What runs the tests fails where it must.
foreach(name empty sample)
  add_executable(lib_${name} lib/selftest/${name}.c lib/test.c lib/resting_fork.c)
  frazil_compile_options(lib_${name})
  target_include_directories(lib_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(lib_${name} PRIVATE ${cmocka})
endforeach()
add_test(NAME lib/selftest COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/lib/selftest/selftest.sh
                                   $<TARGET_FILE:lib_empty> $<TARGET_FILE:lib_sample>)
set_tests_properties(lib/selftest PROPERTIES LABELS lib TIMEOUT 120)
