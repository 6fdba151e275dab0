#!/bin/sh
# SPDX-License-Identifier: MIT
# quietly.sh ROOT: tools/quietly counts on a terminal, says nothing elsewhere, and shows all of what failed.
set -eu

root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$root"

fail() {
    echo "quietly.sh: $1" >&2
    exit 1
}

said=$(sh tools/quietly "$scratch/log" 'echo built 1 of 2' 2>&1)
[ "$said" = "" ] || fail "it said '$said'"
grep -qx 'built 1 of 2' "$scratch/log" || fail "the log lacks what was printed"

status=0
said=$(sh tools/quietly "$scratch/log" 'echo it is broken; exit 3' 2>&1) || status=$?
[ "$status $said" = "3 it is broken" ] || fail "of a failure it said '$said', status $status"

command -v script >/dev/null || exit 77
script -qec "sh tools/quietly '$scratch/log' 'echo built 1 of 2; while ! grep -q counted $scratch/seen; do sleep 1; done'" /dev/null \
    </dev/null >"$scratch/terminal" 2>&1 &
shown=$!
: >"$scratch/seen"
until grep -q 's  built 1 of 2' "$scratch/terminal"; do
    sleep 1
done
echo counted >"$scratch/seen"
wait "$shown"
