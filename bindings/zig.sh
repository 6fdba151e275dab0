#!/bin/sh
# SPDX-License-Identifier: MIT
# zig.sh TARGET ARGUMENT...: compiles C for another machine, by zig, which has the headers of each C library.  ZIG is the
# compiler: by default `zig`, or the one that pip installs for PYTHON (python3) as ziglang.
set -eu

target=$1
shift
if [ -z "${ZIG:-}" ]; then
    if command -v zig >/dev/null; then
        ZIG=zig
    elif "${PYTHON:-python3}" -c 'import ziglang' 2>/dev/null; then
        ZIG="${PYTHON:-python3} -m ziglang"
    else
        echo "zig.sh: zig is missing, which compiles for $target: python3 -m pip install ziglang" >&2
        exit 1
    fi
fi
# shellcheck disable=SC2086 # a command of several words
exec $ZIG cc -target "$target" "$@"
