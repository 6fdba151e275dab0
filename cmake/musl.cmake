# SPDX-License-Identifier: MIT
# This machine's processor, with musl in place of its libc: Debian's musl-tools.  tools/cross-cmocka puts the one library
# that the tests need into build/cross/musl.
set(frazil_cross_prefix ${CMAKE_CURRENT_LIST_DIR}/../build/cross/musl)
cmake_path(NORMAL_PATH frazil_cross_prefix)

set(FRAZIL_MUSL ON)
set(CMAKE_C_COMPILER musl-gcc)
set(CMAKE_FIND_ROOT_PATH ${frazil_cross_prefix})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} ${frazil_cross_prefix}/lib/pkgconfig) # not this machine's libraries
