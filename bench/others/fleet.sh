#!/bin/sh
# SPDX-License-Identifier: MIT
# fleet.sh SCRATCH FRAZIL FRAZIL-FLEET [KIND]...: measures how much a fleet of 10,000 generators asks of each coordinator that is
# installed.  It prints the lines of frazil-fleet with "NAME TAB" before them; of one that cannot be measured, "- TAB NAME TAB why not".
# A server of each is started for it, as servers.sh has them, and stopped.  With TEST_BENCH_QUICK=1 there are 50 generators.
set -eu

here=$(dirname "$(realpath "$0")")
scratch=$1
frazil=$2
fleet=$3
# shellcheck source=bench/others/servers.sh
. "$here/servers.sh"

openings=${TEST_BENCH_QUICK:+50}
openings=${openings:-10000}

# connected KIND: how many generators stay connected.  PostgreSQL has a process for each, of some megabytes, and MariaDB a thread:
# there hosts share leases, or something keeps connections for them.
connected() {
    most=$((descriptors - 100))
    case $1 in
    postgresql | mysql) most=500 ;;
    esac
    if [ "$most" -lt "$openings" ]; then echo "$most"; else echo "$openings"; fi
}

measure() {
    "$fleet" -n "$openings" -k "$(connected "$kind")" -e "$openings" ${server:+-p "$server"} "$url" >"$scratch/lines"
    sed "s/^/$name$(printf '\t')/" "$scratch/lines"
}

# Servers need a descriptor for each connection.
descriptors=$(prlimit --pid $$ --nofile --output HARD --noheadings | tr -d ' ')
prlimit --pid $$ --nofile="$descriptors"
shift 3
if [ $# -eq 1 ]; then
    kind=$1
    # A horizon so long that no lease ends, however long all of them take.
    measure_kind "$scratch" "$frazil" "$kind" "layout=41/14/8 horizon=24h" measure
    exit
fi
# shellcheck disable=SC2046 # a word for each kind
[ $# -gt 0 ] || set -- $(kinds | cut -f 1)
for kind in "$@"; do
    # In a process of its own: it ends where something fails.
    sh "$0" "$scratch" "$frazil" "$fleet" "$kind" || without "$kind" "measuring it failed"
done
