#!/bin/sh
# SPDX-License-Identifier: MIT
# figures.sh [--check] FRAZIL-SIM PAGE: the table of fleets for docs/TRUST.md or docs/operations.md, which `make update-fleets`
# writes.  With --check: whether the rows of small fleets stand there.
set -eu

# Of worlds with a horizon of 22 s and of nearly a minute, as the pages say.
trust_seed=3
operations_seed=113

check=
[ "$1" != --check ] || { check=1 && shift; }
sim=$1
page=$2

# trust_row SERVICES: a row of the table of TRUST.md.
trust_row() {
    "$sim" --fleet "$1" --seed $trust_seed | row "$1" '
        print "| " commas(services) " | " at["steady", 2] " | " at["start", 3] " | " at["outage", 2] "/s | " at["return", 3] \
            " | " at["start", 4] " | " at["start", 7] " s | " at["return", 7] " s |"'
}

# operations_row SERVICES [TIMES]: a row of the table of operations.md, and one that is computed for TIMES as many.
operations_row() {
    "$sim" --fleet "$1" --seed $operations_seed | row "$1" '
        print "| " commas(services) " (measured) | " at["steady", 2] "/s | " at["start", 3] " | " at["outage", 2] "/s | " \
            at["return", 3] " |"
        if (times > 0)
            print "| " commas(services * times) " (computed) | " commas(number["steady", 2] * times) "/s | " \
                commas(number["start", 3] * times) " | " commas(number["outage", 2] * times) "/s | " \
                commas(number["return", 3] * times) " |"' "${2:-0}"
}

# row SERVICES PROGRAM [TIMES]: what the program makes of the phases that frazil-sim tells of on standard input.
row() {
    awk -v services="$1" -v times="${3:-0}" '
        function commas(n) {
            return n < 1000 ? n : commas(int(n / 1000)) sprintf(",%03d", n % 1000)
        }
        /^  (start|steady|outage|return) / {
            for (i = 2; i <= NF; i++) {
                number[$1, i] = $i
                at[$1, i] = i < 5 ? commas($i) : $i
            }
        }
        END { '"$2"' }'
}

stands() {
    while read -r line; do
        grep -qxF "$line" "$page" || { echo "$page has no such row; run make update-fleets: $line" && exit 1; }
    done
}

small_rows() {
    case $page in
    */TRUST.md) trust_row 300 && trust_row 1000 ;;
    *) operations_row 100 ;;
    esac
}

table() {
    case $page in
    */TRUST.md)
        echo '| services | requests/s, steady | busiest second, start | during the outage | busiest second after it | bytes received for a request, start | longest without ids, start | the same, after the outage |'
        echo '|---:|---:|---:|---:|---:|---:|---:|---:|'
        small_rows
        trust_row 3000
        trust_row 10000 ;;
    *)
        echo '| generators | steady | start, busiest second | while it is away | when it is back, busiest second |'
        echo '|---:|---:|---:|---:|---:|'
        small_rows
        operations_row 10000 10 ;;
    esac
}

if [ -n "$check" ]; then
    small_rows | stands
else
    printf '\n%s\n\n' "$(table)"
fi
