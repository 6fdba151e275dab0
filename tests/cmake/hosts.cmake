# SPDX-License-Identifier: MIT
# frazil_give_hosts(): each test of this folder that was added so far is on a host of its own, where what it claims is in nobody's
# way: neither another test's, nor that of a program of this machine.  It names the run and state directories that it wants: the
# default ones are places that nobody can make, so that no test touches those of this machine.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/hosts)
set(no_directories "RUNTIME_DIRECTORY=/dev/null/run-of-a-test-that-names-none"
    "STATE_DIRECTORY=/dev/null/state-of-a-test-that-names-none")
function(frazil_give_hosts)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test IN LISTS tests)
    string(REPLACE "/" "-" host ${test})
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "FRAZIL_HOST_DIR=${PROJECT_BINARY_DIR}/hosts/${host}"
                 ${no_directories})
  endforeach()
endfunction()
