# SPDX-License-Identifier: MIT
# How everything in frazil is compiled.
#
# frazil_compile_options(TARGET) gives a target the language, the warnings, the
# defences and the sanitizers that all of them share.
# frazil_small_code(TARGET) asks for small code in place of fast code.

include(CheckCCompilerFlag)
include(CheckLinkerFlag)

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON) # for clang-tidy

set(frazil_warnings
    -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wwrite-strings
    -Wundef -Wvla -Wformat=2 -Wcast-qual)

# Instrumented code refers to the instrument's runtime: what is promised about symbols holds without it only.
set(FRAZIL_INSTRUMENTED OFF)
set(frazil_instruments "")
if(FRAZIL_SANITIZE)
  set(FRAZIL_INSTRUMENTED ON)
  list(APPEND frazil_instruments -fsanitize=${FRAZIL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
endif()
if(FRAZIL_COVERAGE)
  set(FRAZIL_INSTRUMENTED ON)
  list(APPEND frazil_instruments --coverage -fprofile-update=atomic) # threads count, too
endif()

# Defences that the compiler at hand knows.  FORTIFY_SOURCE needs an optimised build, and gets in a sanitizer's way.
set(frazil_defences "")
set(frazil_link_defences "")
if(FRAZIL_HARDENING AND NOT FRAZIL_INSTRUMENTED)
  foreach(flag -fstack-protector-strong -fstack-clash-protection)
    string(MAKE_C_IDENTIFIER "FRAZIL_HAS${flag}" has)
    check_c_compiler_flag(${flag} ${has})
    if(${has})
      list(APPEND frazil_defences ${flag})
    endif()
  endforeach()
  list(APPEND frazil_defences $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=2>)
  foreach(flag relro now noexecstack)
    check_linker_flag(C -Wl,-z,${flag} FRAZIL_HAS_LINK_${flag})
    if(FRAZIL_HAS_LINK_${flag})
      list(APPEND frazil_link_defences -Wl,-z,${flag})
    endif()
  endforeach()
endif()

function(frazil_compile_options target)
  # 64 bits for inode numbers, too: on 32-bit machines stat fails for files that have a larger one.
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L _FILE_OFFSET_BITS=64
                                               FRAZIL_SOVERSION="${FRAZIL_SOVERSION}"
                                               FZ_PRIVATE=) # `static` where the library is one file
  target_compile_options(${target} PRIVATE ${frazil_warnings} $<$<BOOL:${FRAZIL_WERROR}>:-Werror>
                                           ${frazil_defences} ${frazil_instruments})
  target_link_options(${target} PRIVATE ${frazil_link_defences} ${frazil_instruments})
endfunction()

# -Oz: what -Os does, and short instructions in place of fast ones; gcc has it since 12.  Add no -f option: the -O2 of a
# file that is to be fast would not take it back.
set(frazil_small -Os)
check_c_compiler_flag(-Oz FRAZIL_HAS_Oz)
if(FRAZIL_HAS_Oz)
  set(frazil_small -Oz)
endif()
function(frazil_small_code target)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:${frazil_small}>)
endfunction()

# What the library leaves behind (a keeper's thread, a handler of forks) runs its code: a program that unloads it, and does
# not close all of its generators before, would crash.
check_linker_flag(C -Wl,-z,nodelete FRAZIL_HAS_LINK_nodelete)
function(frazil_stays_loaded target)
  if(FRAZIL_HAS_LINK_nodelete)
    target_link_options(${target} PRIVATE -Wl,-z,nodelete)
  endif()
endfunction()
