# SPDX-License-Identifier: MIT
# The command: its parts, and the whole of it through a shell.

# Parts of the command that can be tested without a shell.
file(GLOB sources CONFIGURE_DEPENDS command/test_*.c)
if(TARGET frazil)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(command_${name} ${source} lib/test.c lib/resting_fork.c)
    frazil_compile_options(command_${name})
    target_include_directories(command_${name} PRIVATE ${PROJECT_SOURCE_DIR}/programs/frazil ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(command_${name} PRIVATE ${cmocka})
    if(name STREQUAL "test_sorter") # which has one of small chunks
      target_sources(command_${name} PRIVATE ${PROJECT_SOURCE_DIR}/programs/frazil/sorter.c)
      target_compile_definitions(command_${name} PRIVATE CHUNK_IDS=7)
    else()
      target_link_libraries(command_${name} PRIVATE frazil_command)
    endif()
    if(name MATCHES "^test_lab_")
      target_include_directories(command_${name} PRIVATE ${PROJECT_SOURCE_DIR}/bench/lab)
      target_link_libraries(command_${name} PRIVATE frazil_lab)
    endif()
    set_target_properties(command_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/command
                                                     OUTPUT_NAME ${name})
    add_test(NAME command/${name} COMMAND command_${name})
    set_tests_properties(command/${name} PROPERTIES LABELS command ENVIRONMENT "${test_environment}")
  endforeach()
endif()

# The command, through a shell; not by an emulator, which takes longer to start than any of its answers takes to come.
file(GLOB sources CONFIGURE_DEPENDS cli/*.bats)
if(TARGET frazil AND sources AND NOT CMAKE_CROSSCOMPILING)
  add_executable(cli_serve cli/serve.c ${lib_objects})
  frazil_compile_options(cli_serve)
  frazil_test_includes(cli_serve)
  target_link_libraries(cli_serve PRIVATE frazil_test_objects)
  set_target_properties(cli_serve PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/cli OUTPUT_NAME serve)
  # What coordinators.bats puts in the place of libfrazil-redis.
  add_library(cli_other_build SHARED cli/other_build.c)
  frazil_compile_options(cli_other_build)
  frazil_test_includes(cli_other_build)
  target_compile_definitions(cli_other_build PRIVATE OTHER_BUILD=frazil_coordinator_redis)
  set_target_properties(cli_other_build PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/cli/other_build
                                                   OUTPUT_NAME frazil-redis SOVERSION ${FRAZIL_SOVERSION})
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    frazil_needy_test(cli/${name} cli bats bats ${source})
    set_tests_properties(cli/${name} PROPERTIES
      ENVIRONMENT "${test_environment};FRAZIL=$<TARGET_FILE:frazil>;TEST_LAB=$<TARGET_FILE:frazil-lab>;TEST_SERVE=$<TARGET_FILE:cli_serve>;TEST_OTHER_BUILD=$<TARGET_FILE_DIR:cli_other_build>;TEST_VECTORS_DIR=${CMAKE_CURRENT_SOURCE_DIR}/vectors")
    frazil_leave_out(cli/${name})
  endforeach()
  frazil_sampled(cli/advice cli/secrets)
  frazil_first(cli/advice cli/coordinators cli/doctor_reasons cli/incidents cli/pages cli/secrets)
  frazil_long(check-whole cli/verify_many) # files of hundreds of megabytes; command/test_sorter tries small chunks
  frazil_long(check-nemesis cli/doctor_zookeeper) # a Java takes its time to start
endif()
