#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh TREE BUILD: tests the module: formatter, vet, its tests with the race detector, once more with the installed library, and
# that what `go mod vendor` copies builds without a network.  All that it makes lies in BUILD/go.
set -eu

tree=$(realpath "$1")
mkdir -p "$2/go"
build=$(realpath "$2")
work=$build/go
chmod -R u+w "$work"
rm -rf "$work/tmp" "$work/host" "$work/run" "$work/state" "$work/src" "$work/packages" "$work/stranger"
mkdir -p "$work/tmp"
export GOFLAGS=-mod=mod GOTOOLCHAIN=local GOCACHE="$work/cache" GOTMPDIR="$work/tmp" TMPDIR="$work/tmp"
export TEST_TREE="$tree" FRAZIL_HOST_DIR="$work/host" RUNTIME_DIRECTORY="$work/run" STATE_DIRECTORY="$work/state"
[ ! -x "$build/bin/frazil" ] || export FRAZIL_COMMAND="$build/bin/frazil"
[ ! -d "$build/parts" ] || export TEST_PARTS="$build/parts"

step() {
    echo "== $*"
}

# Debian's lies beside the PATH.  It is the oldest that works.
debian=/usr/lib/go-1.19/bin
command -v go >/dev/null || PATH=$PATH:$debian

step packages
sh "$tree/bindings/go/package.sh" "$tree" "$work/packages" >/dev/null
mkdir "$work/src"
tar -C "$work/src" --strip-components=1 -xzf "$work"/packages/frazil-go-*.tar.gz
cp "$tree"/bindings/go/*_test.go "$work/src/"
for part in compat/snowflake compat/sno internal/fastpath; do
    cp "$tree/bindings/go/$part"/*_test.go "$work/src/$part/"
done

cd "$work/src"
step formatter
[ -z "$(gofmt -l .)" ] || { gofmt -d . && exit 1; }
step vet
go vet ./...
step staticcheck
GOFLAGS='' go run honnef.co/go/tools/cmd/staticcheck@v0.6.1 ./...
step tests
go test -race -count=1 ./...

step beside the modules that it stands in for
cp -R "$tree/bindings/go/against" "$work/src/against"
(cd against && GOFLAGS=-mod=readonly go vet ./... && GOFLAGS=-mod=readonly go test -count=1 ./...)

old=${TEST_OLD_GO:-$debian/go}
if [ -x "$old" ]; then
    step "$("$old" version)"
    "$old" vet . ./compat/... ./examples/... ./internal/...
    "$old" test -count=1 . ./compat/... ./internal/...
fi

if [ -e "$build/cmake_install.cmake" ]; then
    step with the library that is installed
    rm -rf "$work/root"
    DESTDIR=$work/root cmake --install "$build" >/dev/null
    pc=$(dirname "$(find "$work/root" -name frazil.pc)")
    # pkg-config knows where it would be installed, not where it is.
    (
        export PKG_CONFIG_PATH="$pc" PKG_CONFIG_SYSROOT_DIR="$work/root" LD_LIBRARY_PATH="${pc%/pkgconfig}"
        go vet -tags libfrazil ./compat/... .
        go test -tags libfrazil -count=1 . ./compat/...
        go build -tags libfrazil -o "$work/linked" ./examples/sno
        ldd "$work/linked" | grep -q "libfrazil.so.* => ${pc%/pkgconfig}/" || { ldd "$work/linked" && exit 1; }
    )
fi

step without cgo, for arm64 and for 386
for arch in "$(go env GOARCH)" arm64 386; do
    GOARCH=$arch CGO_ENABLED=0 go vet . ./compat/... ./examples/... ./internal/...
done
CGO_ENABLED=0 go test -count=1 -run WithoutCgo . ./compat/...
if command -v qemu-aarch64-static >/dev/null; then
    GOARCH=arm64 CGO_ENABLED=0 go test -count=1 -exec qemu-aarch64-static ./internal/...
fi

step the command of sno
go build -o "$work/sno" ./examples/sno
"$work/sno" generate -meta=7 -partition=513 3 >"$work/made" 2>&1 || { cat "$work/made" && exit 1; }
[ "$(sort -u "$work/made" | wc -l)" -eq 3 ] || { cat "$work/made" && exit 1; }
"$work/sno" inspect "$(head -n 1 "$work/made")" >"$work/parts"
if ! grep -q '  Partition: 513' "$work/parts" || ! grep -q '       Meta: 7' "$work/parts"; then
    cat "$work/parts"
    exit 1
fi
! "$work/sno" inspect nothing >/dev/null 2>&1 || { echo "a text that is no sno is taken" && exit 1; }
! "$work/sno" generate -meta=256 >/dev/null 2>&1 || { echo "a metabyte of 256 is taken" && exit 1; }

# A program somewhere else has the lines of README.md, vendors the module, and finds nothing of this machine's.
step vendored, without a network
rm -rf "$work/src/against"
mkdir -p "$work/stranger/home"
cd "$work/stranger"
printf 'module stranger\n\ngo 1.19\n' >go.mod
go mod edit -require=github.com/frazil/frazil-go@v0.0.0 -replace=github.com/frazil/frazil-go="$work/src"
# shellcheck disable=SC2016 # Markdown
sed -n '/^```go$/,/^```$/p' "$tree/bindings/go/README.md" | sed '1d;/^```$/,$d' >main.go
gofmt -l main.go | grep . && exit 1
cat >drop_ins.go <<'END'
package main

import (
	"github.com/frazil/frazil-go/compat/sno"
	"github.com/frazil/frazil-go/compat/snowflake"
)

func init() {
	if node, err := snowflake.NewNode(7); err != nil || node.Generate() >= node.Generate() || len(sno.New(1).String()) != 16 {
		panic(err)
	}
}
END
export GOPATH="$work/stranger/home" GOPROXY=off GONOSUMDB='*'
go mod vendor
mv "$work/src" "$work/hidden"
GOFLAGS=-mod=vendor go run . >out || { mv "$work/hidden" "$work/src" && exit 1; }
mv "$work/hidden" "$work/src"
grep -q '^1000 <nil>$' out || { cat out && exit 1; }
echo "the module for Go holds"
