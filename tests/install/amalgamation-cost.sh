#!/bin/sh
# SPDX-License-Identifier: MIT
# amalgamation-cost.sh ROOT: an id costs as many instructions with frazil.c, compiled with -O2 and nothing else, as with the
# library (bench/instructions).
set -eu

root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sh "$root/tools/amalgamate" "$scratch" >/dev/null
"${CC:-cc}" -O2 -I"$scratch" -o "$scratch/paths" "$root/bench/instructions/paths.c" "$scratch/frazil.c" -lpthread -ldl
sh "$root/bench/instructions/count.sh" "$scratch/paths" "$root/bench/instructions/counts.txt"
