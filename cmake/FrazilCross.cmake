# SPDX-License-Identifier: MIT
# Toolchain files set CMAKE_SYSTEM_PROCESSOR and include this: Debian's cross compiler for that processor, and qemu-user
# to run what it makes.  tools/cross-cmocka puts the one library that the tests need into build/cross/PROCESSOR.
set(CMAKE_SYSTEM_NAME Linux)
set(frazil_triplet ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
set(frazil_cross_prefix ${CMAKE_CURRENT_LIST_DIR}/../build/cross/${CMAKE_SYSTEM_PROCESSOR})
cmake_path(NORMAL_PATH frazil_cross_prefix)

set(CMAKE_C_COMPILER ${frazil_triplet}-gcc)
set(CMAKE_FIND_ROOT_PATH ${frazil_cross_prefix} /usr/${frazil_triplet})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} ${frazil_cross_prefix}/lib/pkgconfig) # not this machine's libraries
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR} -L /usr/${frazil_triplet})
