#!/bin/sh
# SPDX-License-Identifier: MIT
# pure.sh OBJECT...: the objects of the core, taken together, need nothing but mem* (which every compiler may call anyway),
# and hold no data that can be written.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"${CC:-cc}" -r -nostdlib -o "$scratch/core.o" "$@"

nm --format=posix "$scratch/core.o" | awk '
    $2 == "U" && $1 !~ /^mem(chr|cmp|cpy|move|set)$/ && $1 != "_GLOBAL_OFFSET_TABLE_" {
        print "the core needs " $1
        bad = 1
    }
    # d: .data.rel.ro too, which is only written by the loader; nm cannot tell it from .data, the section can.
    $2 ~ /^[BbC]$/ { print "the core keeps state in " $1; bad = 1 }
    { symbols++ }
    END {
        if (symbols == 0) { print "no symbol found"; bad = 1 }
        exit bad
    }'
if size -A "$scratch/core.o" | awk '$1 ~ /^\.data($|\.[^r])/ && $2 > 0 { print "the core keeps state in its section", $1; found = 1 }
    END { exit !found }'; then
    exit 1
fi
