#!/bin/sh
# SPDX-License-Identifier: MIT
# english.sh ROOT [--lower]: plain English, as far as a program can tell, in pages, manual pages, comments, and sentences that
# programs print.  It finds sentences above 40 words, paragraphs above 120, a process that is "he", sentences that begin with
# a headless "What" or "Who", and the old idioms.  english.limits says how many faults a file may still have, and nothing stands there
# for new ones: a limit may only sink.  --lower writes it with the lower counts of today.  A limit for * is a loan to every file
# while many work at once; --lower takes it back.
set -eu
style=$(dirname "$(realpath "$0")")
tools=$style/../../tools
cd "$1"
limits=tests/style/english.limits
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

{ sh "$tools/sources" all | grep -E '\.(md|c|h|bats|bash)$|^man/.*\.[1-9]$' && sh "$tools/sources" shell; } | sort -u >"$scratch/files"
[ -s "$scratch/files" ] || { echo "no file found"; exit 1; }
xargs awk -f "$style/english.awk" <"$scratch/files" >"$scratch/faults"
if [ -e "$limits" ]; then cat "$limits"; fi >"$scratch/limits"

if [ "${2:-}" = --lower ]; then
    cut -d : -f 1 "$scratch/faults" | sort | uniq -c | awk '
        NR == FNR { limit[$2] = $1; next }
        { most = limit[$2] + limit["*"] }
        most > 0 { print ($1 < most ? $1 : most), $2 }' "$scratch/limits" - >"$scratch/lower"
    cp "$scratch/lower" "$limits"
    exit
fi

awk -F : '
    FILENAME ~ /limits$/ { split($0, part, " "); limit[part[2]] = part[1]; next }
    { count[$1]++; text[$1] = text[$1] $0 "\n" }
    END {
        for (file in count) {
            most = limit[file] + limit["*"]
            if (count[file] > most) {
                printf "%s%s:1: plain English: %d faults, %d allowed: mend those that are yours\n", text[file], file, count[file], most
                bad = 1
            } else if (count[file] < limit[file]) lower = 1
        }
        for (file in limit) if (file != "*" && !(file in count)) lower = 1
        if (lower) print "english.limits can sink: sh tests/style/english.sh . --lower"
        exit bad
    }' "$scratch/limits" "$scratch/faults"
