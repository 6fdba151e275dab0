#!/bin/sh
# SPDX-License-Identifier: MIT
# selftest.sh: instructions.sh --compare finds what it exists for, and lets pass what it should.
set -eu

here=$(dirname "$(realpath "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# expect STATUS TEXT COUNTED: of a file that says 100, a count gives this status and this text.
expect() {
    printf 'm gcc-1 next 100\nm gcc-1 try 50\n# m gcc-9 next 1\n' >"$scratch/file"
    printf '%s\n' "$3" >"$scratch/counts"
    status=0
    sh "$here/instructions.sh" --compare "$scratch/counts" "$scratch/file" >"$scratch/output" || status=$?
    if [ "$status" -ne "$1" ] || { [ -n "$2" ] && ! grep -qF -- "$2" "$scratch/output"; }; then
        echo "selftest: \"$3\" gave $status, not $1, or not \"$2\" but:" >&2
        cat "$scratch/output" >&2
        exit 1
    fi
}

expect 0 "" "m gcc-1 next 100"
expect 0 "" "m gcc-1 next 102.9"
expect 1 "3.1 % more" "m gcc-1 next 103.1"
expect 1 "not in the file" "m gcc-1 local 5"
expect 0 "keeps it so" "m gcc-1 next 90"
expect 77 "m gcc-2" "m gcc-2 next 100"
expect 77 "m gcc-9" "m gcc-9 next 1"
expect 77 "n gcc-1" "n gcc-1 next 100"
expect 1 "nothing was counted" ""
