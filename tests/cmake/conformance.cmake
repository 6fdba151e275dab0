# SPDX-License-Identifier: MIT
# Every binding must answer as the cases say: here it is libfrazil itself.

# The runner knows the public headers only.
if(PKG_CONFIG_FOUND AND NOT CMAKE_CROSSCOMPILING)
  pkg_check_modules(TEST_JANSSON QUIET IMPORTED_TARGET jansson)
endif()
if(TARGET PkgConfig::TEST_JANSSON)
  file(GLOB sources CONFIGURE_DEPENDS conformance/*.c)
  add_executable(conformance_run ${sources})
  frazil_compile_options(conformance_run)
  target_link_libraries(conformance_run PRIVATE frazil_shared frazil_extras_shared PkgConfig::TEST_JANSSON)
  frazil_finds_parts(conformance_run)
  set_target_properties(conformance_run PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/conformance OUTPUT_NAME run)
  add_test(NAME conformance/cases COMMAND conformance_run ${PROJECT_SOURCE_DIR}/bindings/conformance/cases.jsonl)
  add_test(NAME conformance/selftest COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/conformance/selftest.sh $<TARGET_FILE:conformance_run>)
  set(environment ${test_environment})
  list(FILTER environment EXCLUDE REGEX "^FRAZIL_STATE=") # the cases say themselves where they keep what
  set_tests_properties(conformance/cases conformance/selftest PROPERTIES LABELS conformance ENVIRONMENT "${environment}")
else()
  frazil_unbuilt(conformance/cases conformance pkg-config,libjansson-dev TRUE)
endif()
