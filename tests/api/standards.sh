#!/bin/sh
# SPDX-License-Identifier: MIT
# standards.sh ROOT [NAMES]: a program of any standard from C99 to C23 and from C++11 to C++20 can include all public headers
# and have each warning of its compiler, also with short enums.  NAMES, which uses the functions, is compiled likewise.
set -eu
names=${2:-}
[ -z "$names" ] || names=$(realpath "$names")
cd "$1"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
find include -name '*.h' 2>/dev/null | LC_ALL=C sort | sed 's|^include/\(.*\)|#include <\1>|' >"$scratch/headers.c"
[ -s "$scratch/headers.c" ] || { echo "no header found"; exit 1; }
echo 'extern int frazil_nothing;' >>"$scratch/headers.c" # C wants something behind them
compiled=0

# compiles COMPILER LANGUAGE STANDARD FLAG...
compiles() {
    command -v "$1" >"$scratch/path" || return 0
    compiler=$1 language=$2 standard=$3
    shift 3
    # Macros with a variable number of arguments are no C++ of 1998.
    ! "$compiler" --version | grep -q clang || set -- "$@" -Weverything -Wno-c++98-compat-pedantic
    # shellcheck disable=SC2086 # NAMES or nothing
    for file in "$scratch/headers.c" $names; do
        for enums in -fno-short-enums -fshort-enums; do
            if ! "$compiler" -x "$language" "-std=$standard" -Iinclude $enums -Werror -pedantic -Wall -Wextra "$@" -fsyntax-only "$file" 2>"$scratch/output"; then
                echo "as $standard, with $compiler $enums:"
                cat "$scratch/output"
                exit 1
            fi
            compiled=$((compiled + 1))
        done
    done
}

for standard in c99 c11 c17 c2x; do
    compiles gcc c "$standard" -Wpadded -Wundef -Wconversion -Wstrict-prototypes
    compiles clang c "$standard"
done
for standard in c++11 c++14 c++17 c++20; do
    compiles g++ c++ "$standard" -Wpadded -Wundef -Wconversion -Wold-style-cast -Wzero-as-null-pointer-constant
    compiles clang++ c++ "$standard"
done
[ "$compiled" -gt 0 ] || { echo "no compiler found"; exit 1; }
echo "compiled in $compiled ways"
