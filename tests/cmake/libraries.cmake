# SPDX-License-Identifier: MIT
# Scripts that look at libraries as they are shipped.

# frazil_script(FOLDER NAME [NEEDS TOOL] SCRIPT ARGUMENT...)
function(frazil_script folder name)
  frazil_left_out(${folder}/${name} left_out)
  if(left_out)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 script "" NEEDS "")
  frazil_needy_test(${folder}/${name} ${folder} "${script_NEEDS}" sh ${script_UNPARSED_ARGUMENTS})
  set_tests_properties(${folder}/${name} PROPERTIES
    ENVIRONMENT "${test_environment};CC=${CMAKE_C_COMPILER}")
endfunction()

add_executable(api_names api/names.c)
frazil_compile_options(api_names)
target_link_libraries(api_names PRIVATE frazil_shared)
add_test(NAME api/names COMMAND api_names)
set_tests_properties(api/names PROPERTIES LABELS api ENVIRONMENT "${test_environment}")

if(FRAZIL_HAS_LINK_nodelete)
  add_executable(api_unload api/unload.c)
  frazil_compile_options(api_unload)
  target_include_directories(api_unload PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(api_unload PRIVATE ${CMAKE_DL_LIBS})
  add_test(NAME api/unload COMMAND api_unload $<TARGET_FILE:frazil_shared>)
  set_tests_properties(api/unload PROPERTIES LABELS api)
endif()

set(api ${CMAKE_CURRENT_SOURCE_DIR}/api)
frazil_script(api symbols NEEDS ctags ${api}/symbols.sh ${PROJECT_BINARY_DIR}/src ${frazil_parts_dir})
frazil_script(api size ${api}/size.sh $<TARGET_FILE:frazil_shared> ${CMAKE_C_COMPILER_ID})
frazil_script(api constants ${api}/constants.sh ${PROJECT_SOURCE_DIR} $<TARGET_FILE:frazil_shared>)
frazil_script(api abi NEEDS abidw ${api}/abi.sh ${PROJECT_SOURCE_DIR})
frazil_script(api standards NEEDS c++ ${api}/standards.sh ${PROJECT_SOURCE_DIR} ${api}/names.c)
frazil_script(api enums ${api}/enums.sh ${PROJECT_SOURCE_DIR} $<TARGET_FILE:frazil_shared>)
frazil_script(api selftest ${api}/selftest.sh)
add_test(NAME api/circles COMMAND sh ${api}/circles.sh ${room_objects} COMMAND_EXPAND_LISTS)
set_tests_properties(api/circles PROPERTIES LABELS api)
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo" OR CMAKE_BUILD_TYPE STREQUAL "Release")
  # Assertions trap in a debug build, and unoptimised code may call what optimised code has inlined.
  add_test(NAME api/pure COMMAND sh ${api}/pure.sh $<TARGET_OBJECTS:frazil_core> COMMAND_EXPAND_LISTS)
  set_tests_properties(api/pure PROPERTIES LABELS api)
endif()

frazil_script(conformance shapes NEEDS ctags ${CMAKE_CURRENT_SOURCE_DIR}/conformance/shapes.sh ${PROJECT_SOURCE_DIR})
frazil_script(conformance shapes-selftest NEEDS ctags ${CMAKE_CURRENT_SOURCE_DIR}/conformance/shapes-selftest.sh)

set(bench ${PROJECT_SOURCE_DIR}/bench)
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  # Counts of instructions are those of one way to compile.
  add_executable(bench_instructions ${bench}/instructions/paths.c)
  frazil_compile_options(bench_instructions)
  target_link_libraries(bench_instructions PRIVATE frazil_static)
  frazil_script(bench instructions ${bench}/instructions/count.sh $<TARGET_FILE:bench_instructions> ${bench}/instructions/counts.txt)
  frazil_script(bench amalgamation ${CMAKE_CURRENT_SOURCE_DIR}/install/amalgamation-cost.sh ${PROJECT_SOURCE_DIR})
  frazil_script(bench listings ${bench}/instructions/listings.sh --check $<TARGET_FILE:bench_instructions>
    ${PROJECT_SOURCE_DIR}/docs/fast-path.md)
  frazil_long(check-figures bench/instructions bench/amalgamation bench/listings)
endif()
if(TARGET frazil)
  set(fleet "")
  if(TARGET frazil-fleet)
    set(fleet $<TARGET_FILE:frazil-fleet>)
  endif()
  frazil_script(bench selftest ${bench}/selftest.sh $<TARGET_FILE:frazil> ${fleet})
  frazil_long(check-figures bench/selftest)
endif()

frazil_script(install amalgamation NEEDS c++ ${CMAKE_CURRENT_SOURCE_DIR}/install/amalgamation.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
  ${CMAKE_FIND_ROOT_PATH})
frazil_sampled(install/amalgamation)
frazil_script(install install ${CMAKE_CURRENT_SOURCE_DIR}/install/install.sh ${PROJECT_BINARY_DIR} ${PROJECT_VERSION})
