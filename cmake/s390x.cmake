# SPDX-License-Identifier: MIT
set(CMAKE_SYSTEM_PROCESSOR s390x)
include(${CMAKE_CURRENT_LIST_DIR}/FrazilCross.cmake)
