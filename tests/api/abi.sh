#!/bin/sh
# SPDX-License-Identifier: MIT
# abi.sh [--update] ROOT: what programs are compiled with is what frazil.abi beside this script says: each function that
# the public headers declare, with all types that it reaches, and each number among macros and enumerators.  The dump is
# made of the headers alone, by the compiler of this machine: a pointer for each function, an enum for each number.  So
# what the build is for, and with which options, makes no difference.
#
# An added function, type or number passes.  All else is told, also what docs/abi.md allows, such as a member in the place
# of reserved bytes.  Then: `make update-abi`, and commit frazil.abi with the change.
set -eu

api=$(dirname "$(realpath "$0")")
update=no
[ "$1" != --update ] || { update=yes && shift; }
cd "$1"
dump=$api/frazil.abi
[ "$update" = yes ] || [ -s "$dump" ] || { echo "there is no $dump to compare with: make update-abi writes it"; exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

find include -name '*.h' | LC_ALL=C sort | sed 's|^include/\(.*\)|#include <\1>|' >"$scratch/headers.h"
cc -std=gnu11 -Iinclude -E -P '-DFRAZIL_API=@api' -x c "$scratch/headers.h" | tr '\n' ' ' | tr ';' '\n' >"$scratch/statements"
functions=$(sed -n 's/__attribute__((warn_unused_result))//; s/.*@api .*[ *]\(frazil_[a-z0-9_]*\) *(.*/\1/p' "$scratch/statements" | LC_ALL=C sort -u)
constants=$({
    # The version is to change; a macro without a number, or with arguments, is no constant.
    cc -std=gnu11 -Iinclude -dM -E -x c "$scratch/headers.h" |
        sed -n '/^#define FRAZIL_VERSION/d; s/^#define \(FRAZIL_[A-Z0-9_]*\) [-+(0-9A-Z].*/\1/p'
    grep -o 'FRAZIL_[A-Z0-9_]* = ' "$scratch/statements" | sed 's/ = //'
} | LC_ALL=C sort -u)
if [ -z "$functions" ] || [ -z "$constants" ]; then
    echo "no function or no constant found"
    exit 1
fi
{
    cat "$scratch/headers.h"
    echo "$functions" | sed 's/.*/extern __typeof__(\&&) abi_of_&;\n__typeof__(\&&) abi_of_&;/'
    echo "$constants" | sed 's/.*/extern enum abi_& { abi_value_of_& = (int64_t)(&) } abi_of_&;\nenum abi_& abi_of_&;/'
} >"$scratch/frazil.c"
cc -std=gnu11 -g -O0 -shared -fPIC -Iinclude -o "$scratch/frazil.so" -x c - <"$scratch/frazil.c"
abidw --no-corpus-path --no-comp-dir-path --no-show-locs --type-id-style hash --out-file "$scratch/frazil.abi" "$scratch/frazil.so"
if [ "$update" = yes ]; then
    cp "$scratch/frazil.abi" "$dump"
    exit 0
fi
abidiff --no-added-syms "$dump" "$scratch/frazil.abi" || { echo "docs/abi.md says what may change; if it allows this: make update-abi"; exit 1; }
