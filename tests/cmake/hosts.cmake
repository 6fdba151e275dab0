# SPDX-License-Identifier: MIT
# frazil_give_hosts(): each test of this folder that was added so far is on a host of its own, where what it claims is in nobody's
# way: neither another test's, nor that of a program of this machine.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/hosts)
function(frazil_give_hosts)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test IN LISTS tests)
    string(REPLACE "/" "-" host ${test})
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "FRAZIL_HOST_DIR=${PROJECT_BINARY_DIR}/hosts/${host}")
  endforeach()
endfunction()
