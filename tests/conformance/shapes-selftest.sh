#!/bin/sh
# SPDX-License-Identifier: MIT
# shapes-selftest.sh: shapes.sh notices a struct, a member and a function that are not as they were.
set -eu

here=$(dirname "$(realpath "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/tests" "$scratch/include"
cp "$here/shapes.sh" "$scratch/tests"

# header LINE...: the public header from now on.
header() {
    printf '%s\n' '#include <stdint.h>' "$@" >"$scratch/include/frazil.h"
}

must_fail() {
    if sh "$scratch/tests/shapes.sh" "$scratch" >"$scratch/output" 2>&1; then
        echo "does not find: $1" && exit 1
    fi
    grep -qF -- "$1" "$scratch/output" || { echo "fails, but not with: $1" && cat "$scratch/output" && exit 1; }
}

a='typedef struct frazil_a { uint32_t x; uint32_t y; } frazil_a;'
f='int frazil_f(const frazil_a *a, int n);'
header "$a" "$f"
sh "$scratch/tests/shapes.sh" --update "$scratch"
sh "$scratch/tests/shapes.sh" "$scratch"
header 'typedef struct frazil_a { uint32_t x; uint32_t y; uint64_t z; } frazil_a;' "$f"
must_fail '> struct frazil_a, 16 bytes'
header 'typedef struct frazil_a { uint32_t y; uint32_t x; } frazil_a;' "$f"
must_fail '>     y at 0, 4 bytes'
header 'typedef struct frazil_a { uint32_t x; uint16_t y; } frazil_a;' "$f"
must_fail '>     y at 4, 2 bytes'
header "$a" 'int frazil_f(const frazil_a *a, long n);'
must_fail '> int frazil_f(const frazil_a * a,long n)'
header '#include <stdbool.h>' 'typedef struct frazil_a { bool x; uint32_t y; } frazil_a;' "$f"
must_fail 'members without a fixed width: x'
header 'enum e { E };' 'typedef struct frazil_a { uint32_t x; enum e y; } frazil_a;' "$f"
must_fail 'members without a fixed width: y'
header "$a"
must_fail 'no struct or no function found'
