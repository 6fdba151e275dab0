#!/bin/sh
# SPDX-License-Identifier: MIT
# size.sh LIBRARY COMPILER_ID: libfrazil.so, stripped, has at most 176 KiB as gcc builds it, which is what containers
# carry and each process maps.  The limit was 128 KiB until programs could bring worker ids and counters of their own,
# and 160 KiB until files that others may have put there were refused with their reason.  Raise it only for a feature,
# and say here which.  The same code is a tenth larger as clang builds it.
set -eu

allowed=180224
[ "$2" = GNU ] || allowed=196608
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
strip -o "$scratch/library" "$1"
bytes=$(wc -c <"$scratch/library")
echo "stripped: $bytes bytes, $allowed allowed"
[ "$bytes" -le "$allowed" ]
