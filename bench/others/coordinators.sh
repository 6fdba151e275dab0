#!/bin/sh
# SPDX-License-Identifier: MIT
# coordinators.sh SCRATCH FRAZIL ROUNDS [KIND]...: measures how long it takes to open and close a
# generator with a worker id from each coordinator that is installed.  It prints a line each, "name TAB opening TAB q1 TAB q3 TAB closing TAB one
# read of it", in microseconds.  One that cannot be measured is a line "- TAB name TAB why not".
# A server of each is started for it, on a free port of the loopback interface, with its data in SCRATCH, and stopped.
set -eu

here=$(dirname "$(realpath "$0")")
scratch=$1
frazil=$2
rounds=$3
# shellcheck source=bench/others/servers.sh
. "$here/servers.sh"

measure() {
    "$frazil" bench --quick --rounds "$rounds" --threads 1 --json "worker=$url" >"$scratch/bench.json"
    awk -f "$here/../page/rows.awk" "$scratch/bench.json" | awk -F '\t' -v name="$name" '
        $2 == "spec_open" { opening = $5 "\t" $6 "\t" $7 }
        $2 == "spec_close" { closing = $5 }
        $2 == "spec_round_trip" { printf "%s\t%s\t%s\t%s\n", name, opening, closing, $5; done = 1 }
        END { exit !done }'
}

shift 3
if [ $# -eq 1 ]; then
    measure_kind "$scratch" "$frazil" "$1" "" measure
    exit
fi
# shellcheck disable=SC2046 # a word for each kind
[ $# -gt 0 ] || set -- $(kinds | cut -f 1 | grep -vx file)
for kind in "$@"; do
    # In a process of its own: it ends where something fails.
    sh "$0" "$scratch" "$frazil" "$rounds" "$kind" || without "$kind" "measuring it failed"
done
