#!/bin/sh
# SPDX-License-Identifier: MIT
# The machine code of the fast paths, as callgrind has seen them run: the instructions of a function that nearly every call
# executes, in their order, and how many they are.
#
#   listings.sh PROGRAM FUNCTION    of one function; PROGRAM is built from paths.c
#   listings.sh --page PROGRAM      what docs/fast-path.md shows
#   listings.sh --check PROGRAM PAGE    whether it shows that; skipped (77) for another compiler, or without a counter
set -eu

# run PROGRAM: leaves what callgrind has seen in the scratch directory.
run() {
    objcopy --strip-debug "$1" "$scratch/stripped"
    valgrind --tool=callgrind --dump-instr=yes --compress-pos=no --compress-strings=no \
        --callgrind-out-file="$scratch/callgrind.out" "$scratch/stripped" >"$scratch/output" 2>&1 ||
        { cat "$scratch/output" >&2 && exit 1; }
}

# listing FUNCTION
listing() {
    objdump -d --no-show-raw-insn --disassemble="$1" "$scratch/stripped" >"$scratch/code"
    awk -v function_="$1" '
        # "fn=NAME"; then "0xADDRESS LINE COST", where what follows "calls=" is the cost of others.
        FNR == NR && /^fn=/ { inside = $0 == "fn=" function_; next }
        FNR == NR && /^calls=/ { skip = 1; next }
        FNR == NR && /^0x/ {
            if (inside && !skip) {
                cost[substr($1, 3)] += $3
                if (cost[substr($1, 3)] > most) most = cost[substr($1, 3)]
            }
            skip = 0
            next
        }
        FNR == NR { next }
        /^ +[0-9a-f]+:\t/ {
            address = $1
            sub(/:$/, "", address)
            if (cost[address] < most * 0.9) next
            line = $0
            sub(/^[^\t]*\t/, "", line)
            sub(/[ \t]+$/, "", line)
            gsub(/\t/, " ", line)
            # Where a jump goes to is not the same in every build.
            sub(/[0-9a-f]+ <.*>$/, "elsewhere", line)
            print "    " line
            n++
        }
        END { printf "%d instructions\n", n; exit n == 0 }
    ' "$scratch/callgrind.out" "$scratch/code"
}

# page_part FUNCTION: as Markdown.
page_part() {
    listing "$1" >"$scratch/listing"
    # shellcheck disable=SC2016 # Markdown, no command
    printf '\n`%s`, by %s: %s.\n\n' "$1" "$(sed 's/ .*//' "$scratch/output" | grep -E '^(gcc|clang)-')" \
        "$(tail -n 1 "$scratch/listing")"
    sed '$d' "$scratch/listing"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
page() {
    run "$1"
    page_part frazil_next
    page_part frazil_local_next
    echo
}

if [ "$1" = --page ]; then
    page "$2"
elif [ "$1" = --check ]; then
    command -v valgrind >/dev/null || { echo "skipped: there is no valgrind" && [ -z "${TEST_SKIP_NOTHING:-}" ] && exit 77; }
    status=0
    "$2" >"$scratch/said" || status=$?
    [ "$status" -ne 77 ] || exit 77
    grep -qF "by $(cut -d ' ' -f 1 "$scratch/said"):" "$3" || { echo "skipped: the page is of another compiler" && exit 77; }
    page "$2" >"$scratch/page"
    sed '1,/^<!-- figures/d; /^<!-- end of figures/,$d' "$3" | diff - "$scratch/page" ||
        { echo "$3 shows other code: make update-instructions" && exit 1; }
else
    run "$1"
    listing "$2"
fi
