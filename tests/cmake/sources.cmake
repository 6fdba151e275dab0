# SPDX-License-Identifier: MIT
# Scripts that look at sources alone, and the bindings and databases, which build themselves.

frazil_script(mutants apply NEEDS patch ${CMAKE_CURRENT_SOURCE_DIR}/mutants/apply.sh ${PROJECT_SOURCE_DIR})

frazil_script(model lease ${CMAKE_CURRENT_SOURCE_DIR}/model/check.sh quick)
frazil_sampled(model/lease)

set(style ${CMAKE_CURRENT_SOURCE_DIR}/style)
set(contracts_needs ctags)
set(format_needs clang-format)
set(headers_needs c++)
set(lengths_needs ctags)
set(lists_needs python3)
set(mawk_needs mawk)
set(unique_needs ctags)
foreach(check arrows circles tables lists lengths limits campaigns counted banned kept printing typed contracts growth private unique headers manual names keys outside packaging structures mawk measured format)
  frazil_script(style ${check} NEEDS "${${check}_needs}" ${style}/${check}.sh ${PROJECT_SOURCE_DIR})
  frazil_script(style ${check}-selftest NEEDS "${${check}_needs}" ${style}/selftest.sh ${check})
  frazil_long(check-figures style/${check}-selftest)
endforeach()

# Bindings and database extensions test themselves, with the tools of their own world: FOLDER/test.sh TREE BUILD.
file(GLOB scripts RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bindings/*/test.sh
     ${PROJECT_SOURCE_DIR}/databases/*/test.sh)
foreach(script IN LISTS scripts)
  string(REGEX MATCH "^([a-z]+)/([a-z]+)" test "${script}")
  frazil_script(${CMAKE_MATCH_1} ${CMAKE_MATCH_2} ${PROJECT_SOURCE_DIR}/${script} ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  # Without the state that other tests keep in memory alone: theirs is to live through forks and kills.  Their compilers
  # want all processors, and would leave a server of another test none.
  frazil_long(check-${CMAKE_MATCH_1} ${test})
  set_tests_properties(${test} PROPERTIES PROCESSORS 2 ENVIRONMENT "CC=${CMAKE_C_COMPILER}")
endforeach()

# The page is tried in a browser, beside the command and the daemon of this build.
frazil_script(web page ${PROJECT_SOURCE_DIR}/web/test.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
set_tests_properties(web/page PROPERTIES ENVIRONMENT "")
frazil_long(check-page web/page)
