#!/bin/sh
# SPDX-License-Identifier: MIT
# package.sh TREE OUT: builds the npm package frazil into OUT, with the addon for the machine that this runs on.
# TARGETS are further machines that it has an addon for, as zig calls them: aarch64-linux-gnu.2.28 x86_64-linux-musl
# aarch64-linux-musl, and x86_64-linux-gnu.2.28 in place of what the compiler of this machine makes.  AMALGAMATION is the folder of frazil.c and frazil.h (default: TREE/build/amalgamation); it honours CC and CFLAGS, and CLANG,
# which makes the WebAssembly.
set -eu

tree=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
amalgamation=$(realpath "${AMALGAMATION:-$tree/build/amalgamation}")
binding=$tree/bindings/node

headers=$(node -p 'require("path").resolve(fs.realpathSync(process.execPath), "../../include/node")')
[ -e "$headers/node_api.h" ] || {
    echo "package.sh: $headers/node_api.h is missing: install the headers of Node (Debian: libnode-dev)" >&2
    exit 1
}

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cd "$binding"
cp -R package.json README.md index.* flake-idgen.* browser.d.mts install.js binding.gyp lib src "$stage"
cp "$tree/LICENSE" "$stage"
mkdir "$stage/amalgamation"
cp "$amalgamation/frazil.c" "$amalgamation/frazil.h" "$stage/amalgamation"
sh "$binding/browser/build.sh" "$tree" "$stage"

cd "$stage"
place=prebuilds/$(node -p 'require("./lib/load.js").brought.split("/").slice(-2)[0]')
mkdir -p "$place"
# shellcheck disable=SC2086 # CFLAGS are several words
${CC:-cc} -std=c11 ${CFLAGS:--O3 -s} -fPIC -fvisibility=hidden -shared -Wl,-z,nodelete -DFRAZIL_API= \
    -isystem "$headers" -Iamalgamation -o "$place/frazil.node" src/*.c amalgamation/frazil.c
for target in ${TARGETS:-}; do
    case $target in
    x86_64-*) place=linux-x64 ;;
    aarch64-*) place=linux-arm64 ;;
    *) echo "package.sh: there is no addon for $target" >&2 && exit 1 ;;
    esac
    case $target in *-musl) place=$place-musl ;; esac
    mkdir -p "prebuilds/$place"
    sh "$tree/bindings/zig.sh" "$target" -std=c11 -O3 -s -fPIC -fvisibility=hidden -shared -Wl,-z,nodelete -Wl,-z,undefs -DFRAZIL_API= \
        -isystem "$headers" -Iamalgamation -o "prebuilds/$place/frazil.node" src/*.c amalgamation/frazil.c
done
npm pack --silent --pack-destination "$out" >/dev/null
echo "$out/frazil-$(node -p 'require("./package.json").version').tgz"
