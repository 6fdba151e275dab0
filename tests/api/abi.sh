#!/bin/sh
# SPDX-License-Identifier: MIT
# abi.sh [--update] ROOT: the types of the public headers, as far as exported functions reach them, are those of frazil.abi
# beside this script.  What is dumped is made of the headers alone: a pointer for each
# function that exported-symbols*.txt lists.  So no compiler and no option of the build makes a difference.
#
# After a change that docs/abi.md allows: `make update-abi`, and commit frazil.abi with it.  Before 1.0 there is no such file.
set -eu

api=$(dirname "$(realpath "$0")")
update=no
[ "$1" != --update ] || { update=yes && shift; }
cd "$1"
dump=$api/frazil.abi
[ "$update" = yes ] || [ -e "$dump" ] || { echo "nothing is promised yet: make update-abi writes $dump"; exit 0; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
{
    printf '#include <frazil.h>\n#include <frazil/admin.h>\n#include <frazil/extras.h>\n#include <frazil/opaque.h>\n'
    cat "$api"/exported-symbols*.txt | LC_ALL=C sort -u | sed 's/.*/extern __typeof__(\&&) abi_of_&;\n__typeof__(\&&) abi_of_&;/'
} >"$scratch/frazil.c"
"${CC:-cc}" -std=gnu11 -g -O0 -shared -fPIC -Iinclude -o "$scratch/frazil.so" "$scratch/frazil.c"
abidw --no-corpus-path --no-comp-dir-path --no-show-locs --type-id-style hash --out-file "$scratch/frazil.abi" "$scratch/frazil.so"
grep -q 'abi_of_frazil_open' "$scratch/frazil.abi" || { echo "no function found"; exit 1; }
if [ "$update" = yes ]; then
    cp "$scratch/frazil.abi" "$dump"
    exit 0
fi
abidiff --no-added-syms "$dump" "$scratch/frazil.abi" || { echo "if docs/abi.md allows that: make update-abi"; exit 1; }
