#!/bin/sh
# SPDX-License-Identifier: MIT
# package.sh TREE OUT: writes the Go module as frazil-go-VERSION.tar.gz into OUT, with frazil.c inside: as a repository of the
# module has it, for a tag, or for a `replace`.
set -eu

tree=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
version=$(sed -n 's/^#define FRAZIL_VERSION "\(.*\)"/\1/p' "$tree/include/frazil.h")

cp -R "$tree/bindings/go" "$scratch/frazil-go"
cp "$tree/LICENSE" "$scratch/frazil-go/"
cd "$scratch/frazil-go"
find . -name '*_test.go' -exec rm {} +
rm -rf against test.sh package.sh
sh "$tree/tools/amalgamate" "$scratch/made" >/dev/null
cp "$scratch/made/frazil.h" frazil.h
# cgo compiles it with the package, unless the installed library is asked for.
{ printf '//go:build !libfrazil\n\n' && cat "$scratch/made/frazil.c"; } >frazil.c
tar -C "$scratch" --sort=name --owner=0 --group=0 --mtime=@0 -czf "$out/frazil-go-$version.tar.gz" frazil-go
echo "$out/frazil-go-$version.tar.gz"
