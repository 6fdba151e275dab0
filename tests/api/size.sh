#!/bin/sh
# SPDX-License-Identifier: MIT
# size.sh LIBRARY: libfrazil.so, stripped, has at most 128 KiB.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
strip -o "$scratch/library" "$1"
bytes=$(wc -c <"$scratch/library")
echo "stripped: $bytes bytes, 131072 allowed"
[ "$bytes" -le 131072 ]
