#!/bin/sh
# SPDX-License-Identifier: MIT
# size.sh LIBRARY COMPILER_ID: libfrazil.so, stripped, has at most 208 KiB as gcc builds it, which is what containers
# carry and each process maps.  The limit was 128 KiB until programs could bring worker ids and counters of their own,
# 160 KiB until files that others may have put there were refused with their reason, and 176 KiB until 0.2 brought
# options, shared generators, health, events and one keeper's thread for all generators.  Raise it only for a feature,
# and say here which.  The same code is a tenth larger as clang builds it.
set -eu

allowed=212992
[ "$2" = GNU ] || allowed=233472
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
strip -o "$scratch/library" "$1"
bytes=$(wc -c <"$scratch/library")
echo "stripped: $bytes bytes, $allowed allowed"
[ "$bytes" -le "$allowed" ]
