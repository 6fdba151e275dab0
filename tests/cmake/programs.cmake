# SPDX-License-Identifier: MIT
# A cmocka program for each test_*.c, and the tests of what runs them.

# frazil_program_test(TEST TARGET LABEL VARIABLES): runs the target, with these variables beside those of all tests.
function(frazil_program_test test target label variables)
  add_test(NAME ${test} COMMAND ${target})
  set_tests_properties(${test} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77 ENVIRONMENT "${test_environment};${variables}")
endfunction()

set(folders unit concurrency process coordinators)
if(NOT CMAKE_CROSSCOMPILING)
  list(APPEND folders nemesis) # its rounds are of real servers and of minutes
endif()
foreach(folder IN LISTS folders)
  add_custom_target(tests_${folder})
  set(processors 1)
  if(folder STREQUAL "concurrency")
    set(processors 2) # threads that meet
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
    list(FILTER sources EXCLUDE REGEX "test_(setuid|wipe|shared_generator_fork)") # the last has an allocator of its own
  endif()
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    string(REGEX REPLACE "^test_([a-z]+).*$" "\\1" part ${name})
    if(part IN_LIST absent_parts)
      string(TOUPPER FRAZIL_${part} option)
      frazil_unbuilt(${folder}/${name} ${folder} libfrazil-${part} ${option})
      continue()
    endif()
    set(target ${folder}_${name})
    add_executable(${target} ${source} ${lib_objects})
    add_dependencies(tests_${folder} ${target})
    frazil_compile_options(${target})
    frazil_test_includes(${target})
    target_link_libraries(${target} PRIVATE frazil_test_objects)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${folder}
                                               OUTPUT_NAME ${name})
    if(target STREQUAL "coordinators_test_network") # which waits for each of the servers in turn
      foreach(part IN LISTS present_parts)
        frazil_program_test(${folder}/${name}-${part} ${target} ${folder} "TEST_KIND=${part}")
      endforeach()
      continue()
    endif()
    if(target STREQUAL "nemesis_test_ids") # side by side: its processes mostly wait for their next tick
      frazil_program_test(nemesis/${name}-files ${target} nemesis "TEST_KIND=none")
      set(ids nemesis/${name}-files)
      foreach(part IN LISTS present_parts)
        frazil_program_test(nemesis/${name}-${part} ${target} nemesis "TEST_KIND=${part};TEST_ONLY=Over each coordinator")
        list(APPEND ids nemesis/${name}-${part})
      endforeach()
      set_tests_properties(${ids} PROPERTIES PROCESSORS 2) # so that only make ids runs them beside each other
      frazil_long(check-nemesis ${ids})
      continue()
    endif()
    frazil_program_test(${folder}/${name} ${target} ${folder} "")
    set_tests_properties(${folder}/${name} PROPERTIES PROCESSORS ${processors})
    frazil_leave_out(${folder}/${name})
    if(folder STREQUAL "nemesis")
      set_tests_properties(nemesis/${name} PROPERTIES RUN_SERIAL ON)
      frazil_long(check-nemesis nemesis/${name})
    endif()
  endforeach()
endforeach()

frazil_sampled(unit/test_pairs unit/test_canonical_url unit/test_small_layouts coordinators/test_redis_pairs coordinators/test_opening_forks)
frazil_label(coordinators/test_opening_forks LABELS nemesis)

frazil_first(coordinators/test_conformance coordinators/test_network-zookeeper coordinators/test_network-etcd
             coordinators/test_flood coordinators/test_opening_forks coordinators/test_deadline process/test_fork)

# The boot's id is the test's.
target_link_options(unit_test_identity PRIVATE -Wl,--wrap=fz_boot_id)

# The library as programs load it.
target_compile_definitions(process_test_two_copies PRIVATE FRAZIL_SHARED_LIBRARY="$<TARGET_FILE:frazil_shared>")
add_dependencies(process_test_two_copies frazil_shared)

# A program of others, which the test runs: it has loaded no part yet.
if(TARGET coordinators_test_opening_forks)
  add_executable(coordinators_openers coordinators/openers.c lib/bound.c)
  frazil_compile_options(coordinators_openers)
  target_include_directories(coordinators_openers PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(coordinators_openers PRIVATE frazil_shared Threads::Threads)
  frazil_finds_parts(coordinators_openers)
  frazil_finds_parts(coordinators_test_opening_forks)
  target_compile_definitions(coordinators_test_opening_forks PRIVATE FRAZIL_OPENERS="$<TARGET_FILE:coordinators_openers>")
  add_dependencies(coordinators_test_opening_forks coordinators_openers frazil_part_file)
  foreach(part IN LISTS present_parts)
    add_dependencies(coordinators_test_opening_forks frazil_part_${part})
  endforeach()
endif()

# What runs the tests fails where it must.
foreach(name empty sample)
  add_executable(lib_${name} lib/selftest/${name}.c lib/test.c lib/resting_fork.c)
  frazil_compile_options(lib_${name})
  target_include_directories(lib_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(lib_${name} PRIVATE ${cmocka})
endforeach()
add_test(NAME lib/selftest COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/lib/selftest/selftest.sh
                                   $<TARGET_FILE:lib_empty> $<TARGET_FILE:lib_sample>)
add_test(NAME lib/quietly COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/lib/selftest/quietly.sh ${PROJECT_SOURCE_DIR})
add_test(NAME lib/changed COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/lib/selftest/changed.sh ${PROJECT_SOURCE_DIR})
set_tests_properties(lib/quietly lib/changed PROPERTIES LABELS lib SKIP_RETURN_CODE 77)
add_test(NAME lib/left-out COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/lib/selftest/left-out.sh ${PROJECT_SOURCE_DIR})
set_tests_properties(lib/selftest lib/left-out PROPERTIES LABELS lib)
