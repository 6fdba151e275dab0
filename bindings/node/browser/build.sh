#!/bin/sh
# SPDX-License-Identifier: MIT
# build.sh TREE OUT: writes OUT/browser.mjs, the pure part of the library as WebAssembly and its JavaScript in one file.  CLANG
# is the compiler, which needs wasm-ld.
set -eu

tree=$(realpath "$1")
out=$(realpath "$2")
node=$tree/bindings/node
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for tool in "${CLANG:-clang}" "$(${CLANG:-clang} -print-prog-name=wasm-ld 2>/dev/null || echo wasm-ld)"; do
    command -v "$tool" >/dev/null || {
        echo "build.sh: $tool is missing: install clang and its linker for WebAssembly (Debian: clang, lld-14)" >&2
        exit 1
    }
done

cd "$tree"
${CLANG:-clang} --target=wasm32 -std=c11 -Os -ffreestanding -fno-builtin -fvisibility=hidden -DFRAZIL_API= -DFZ_PRIVATE= -nostdlib \
    -Wl,--no-entry -Wl,--strip-all -Wl,--allow-undefined -isystem "$node/browser/libc" -Iinclude -Isrc -Isrc/core \
    -o "$scratch/core.wasm" src/core/*.c src/extras/[!s]*.c src/extras/s[!a]*.c "$node"/src/values.c "$node"/src/errors.c "$node"/src/layouts.c "$node"/src/texts.c \
    "$node"/src/snos.c "$node/browser/bridge.c"
{
    sed '/^.use strict.;$/d; /^module\.exports/d' "$node/lib/core.js"
    printf "const WASM =\n  '%s';\n\n" "$(base64 -w 0 "$scratch/core.wasm")"
    sed '/^\/\/ SPDX/d; /^\/\* global/d; /^import /d' "$node/browser/bridge.mjs"
} >"$out/browser.mjs"
