#!/bin/sh
# SPDX-License-Identifier: MIT
# size.sh LIBRARY COMPILER_ID: libfrazil.so, stripped, has at most 128 KiB as gcc builds it.  The same code is a tenth
# larger as clang builds it.
set -eu

allowed=131072
[ "$2" = GNU ] || allowed=147456
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
strip -o "$scratch/library" "$1"
bytes=$(wc -c <"$scratch/library")
echo "stripped: $bytes bytes, $allowed allowed"
[ "$bytes" -le "$allowed" ]
