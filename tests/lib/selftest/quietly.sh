#!/bin/sh
# SPDX-License-Identifier: MIT
# quietly.sh ROOT: tools/quietly counts on a terminal, says nothing elsewhere, and shows all of what failed.  With --show it counts
# between lines that it shows.
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

status=0
said=$(sh tools/quietly --show "$scratch/log" 'echo one; echo two >&2; exit 3' 2>&1) || status=$?
[ "$status $said" = "3 one
two" ] || fail "with --show it said '$said', status $status"

command -v script >/dev/null || exit 77

# counts OPTION: it does so on a terminal, while a command goes on until it was seen.
counts() {
    rm -f "$scratch/seen"
    script -qec "sh tools/quietly $1 '$scratch/log' 'echo built 1 of 2; until [ -e $scratch/seen ]; do sleep 1; done; echo end; exit 5'" \
        /dev/null </dev/null >"$scratch/terminal" 2>&1 &
    shown=$!
    until grep -q 's  built 1 of 2' "$scratch/terminal"; do
        sleep 1
    done
    touch "$scratch/seen"
    status=0
    wait "$shown" || status=$?
    [ $status -eq 5 ] || fail "$1: status $status, not 5"
    grep -qx 'end' "$scratch/log" || fail "$1: the log lacks what was printed"
}

counts ''
tr '\r' '\n' <"$scratch/terminal" | grep -qx 'end' || fail "of a failure it did not show all"
counts --show
[ "$(tr '\r' '\n' <"$scratch/terminal" | grep -cx 'built 1 of 2\|end')" -eq 2 ] || fail "with --show a line is missing, or there twice"
