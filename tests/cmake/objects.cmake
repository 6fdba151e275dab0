# SPDX-License-Identifier: MIT
# Every test program is linked with these: cmocka, the rooms, and lib/.

find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(CMOCKA QUIET IMPORTED_TARGET cmocka)
endif()
if(TARGET PkgConfig::CMOCKA)
  set(cmocka PkgConfig::CMOCKA)
else()
  find_library(cmocka NAMES cmocka REQUIRED)
endif()

set(rooms frazil_core frazil_os frazil_lease frazil_common frazil_file frazil_compat_file frazil_config frazil_state frazil_generator frazil_admin
          frazil_extras frazil_cli)
# Coordinators, where their client libraries are: a test named test_PART_* needs its part.
set(parts ${frazil_client_parts})
set(absent_parts "")
set(present_parts "")
foreach(part IN LISTS parts)
  if(TARGET frazil_${part})
    list(APPEND rooms frazil_${part})
    list(APPEND present_parts ${part})
  else()
    list(APPEND absent_parts ${part})
  endif()
endforeach()
if(TARGET frazil_compat_redis)
  list(APPEND rooms frazil_compat_redis)
endif()
if(TARGET frazil_opaque)
  list(APPEND rooms frazil_opaque)
endif()
set(room_objects "")
foreach(room IN LISTS rooms)
  list(APPEND room_objects $<TARGET_OBJECTS:${room}>)
endforeach()

# What every test program is linked with.
add_library(frazil_test_objects STATIC ${room_objects})
set_target_properties(frazil_test_objects PROPERTIES LINKER_LANGUAGE C)
target_link_libraries(frazil_test_objects PUBLIC Threads::Threads ${cmocka} m ${CMAKE_DL_LIBS})
foreach(room IN LISTS rooms)
  target_link_libraries(frazil_test_objects PUBLIC $<TARGET_PROPERTY:${room},LINK_LIBRARIES>)
endforeach()
if(FRAZIL_OPAQUE_LIBCRYPTO)
  target_link_libraries(frazil_test_objects PUBLIC OpenSSL::Crypto)
endif()
file(GLOB lib_sources CONFIGURE_DEPENDS lib/*.c)

# frazil_test_includes(TARGET): what a file of tests may include, and the words by which it knows the build.
set(tests ${CMAKE_CURRENT_SOURCE_DIR})
function(frazil_test_includes target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
                                               ${PROJECT_SOURCE_DIR}/src/coordinators
                                               ${tests})
  target_compile_definitions(${target} PRIVATE TEST_VECTORS_DIR="${tests}/vectors" ${emulation})
  foreach(part IN LISTS parts)
    string(TOUPPER ${part} upper)
    target_compile_definitions(${target} PRIVATE $<$<TARGET_EXISTS:frazil_${part}>:FRAZIL_HAVE_${upper}=1>)
  endforeach()
endfunction()

if(lib_sources)
  add_library(frazil_test_lib OBJECT ${lib_sources})
  frazil_compile_options(frazil_test_lib)
  frazil_test_includes(frazil_test_lib)
  target_link_libraries(frazil_test_lib PRIVATE frazil_test_objects) # for the client libraries' headers
  set(lib_objects $<TARGET_OBJECTS:frazil_test_lib>)
endif()
