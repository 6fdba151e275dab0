#!/bin/sh
# SPDX-License-Identifier: MIT
# package.sh TREE OUT: writes the Go module into OUT, with frazil.c inside: frazil-go-VERSION.tar.gz, as a repository of the module
# has it, for a tag, or for a `replace`; and OUT/go, the same as a module proxy has it: GOPROXY=file://OUT/go.
set -eu

tree=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
version=$(sh "$tree/tools/version")

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

module=$(sed -n 's/^module //p' go.mod)
proxy=$out/go/$module/@v
rm -rf "$out/go"
mkdir -p "$proxy" "$scratch/zip/${module%/*}"
cp go.mod "$proxy/v$version.mod"
echo "v$version" >"$proxy/list"
printf '{"Version":"v%s","Time":"%s"}\n' "$version" "$(date -u -d "@${SOURCE_DATE_EPOCH:-0}" +%Y-%m-%dT%H:%M:%SZ)" >"$proxy/v$version.info"
mv "$scratch/frazil-go" "$scratch/zip/$module@v$version"
cd "$scratch/zip"
find . -type f | sed 's|^\./||' | LC_ALL=C sort >../list
cmake -E tar cf "$proxy/v$version.zip" --format=zip --mtime='1980-01-01 00:00:00 UTC' --files-from=../list
echo "$proxy/v$version.zip"
