#!/bin/sh
# SPDX-License-Identifier: MIT
# headers.sh ROOT: each public header compiles alone as C99, C11 and C++11, without a warning; each private one as C11.
set -eu
cd "$1"

cc=${CC:-cc}
cxx=${CXX:-c++}
warnings="-pedantic-errors -Wall -Wextra -Werror"
failed=0

# compiles_alone COMPILER LANGUAGE STANDARD HEADER FLAG...
compiles_alone() {
    compiler=$1 language=$2 standard=$3 header=$4
    shift 4
    # shellcheck disable=SC2086 # a list of flags
    # A unit of macros alone would be an empty one.
    if ! printf '#include "%s"\nextern int frazil_nothing;\n' "$header" | "$compiler" -x "$language" "-std=$standard" $warnings "$@" -fsyntax-only -; then
        echo "$header:1: does not stand alone as $standard"
        failed=1
    fi
}

public=$(cd include && find . -name '*.h' | sed 's|^\./||' | sort)
[ -n "$public" ] || { echo "no header found"; exit 1; }
for header in $public; do
    compiles_alone "$cc" c c99 "$header" -Iinclude
    compiles_alone "$cc" c c11 "$header" -Iinclude
    compiles_alone "$cxx" c++ c++11 "$header" -Iinclude
done

private=$(find src programs -name '*.h' 2>/dev/null | sort)
for header in $private; do
    compiles_alone "$cc" c c11 "$header" -Iinclude -Isrc -Isrc/coordinators -I. -D_POSIX_C_SOURCE=200809L -DFZ_PRIVATE=
done
exit $failed
