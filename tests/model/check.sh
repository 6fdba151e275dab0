#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh [quick|all]: looks at all states of tests/model/lease.pml in several configurations.  The protocol as it is
# must have no error, and each variant, in which one rule is missing, must have one.  TEST_EVERY=N: each Nth of them.
set -u

here=$(cd "$(dirname "$0")" && pwd)
wanted=${1:-all}
cc=${CC:-cc}

if ! command -v spin >/dev/null; then
    echo "there is no spin; see tools/test-packages" >&2
    [ -z "${TEST_SKIP_NOTHING:-}" ] && exit 77
    exit 1
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

failures=0
runs=0
asked=0
every=${TEST_EVERY:-1}

# The assertion that a variant must break, as Spin prints it: no tick is granted to two.
one_owner='((granted\[.*\]||excused)'
# Or: all worker ids are taken when a generator says so.
all_taken='( !(((((record\[0\]'
promise=$one_owner

# Reads the log of a search, and prints its result: holds, fails, or broken.  A search that ended for want of depth or
# memory has found nothing, and neither has one that stumbled over anything but the promise.
verdict() {
    if ! grep -q '^Full statespace search for:' log || grep -q 'max search depth too small\|out of memory' log; then
        echo broken
    elif grep -q 'errors: 0$' log && ! grep -q 'Search not completed' log; then
        echo holds
    elif grep -q 'errors: 1$' log && grep -q "^pan:1: assertion violated $promise" log; then
        echo fails
    else
        echo broken
    fi
}

# One run: run EXPECTED NAME MACRO...   EXPECTED: holds or fails
run() {
    expected=$1
    name=$2
    shift 2
    asked=$((asked + 1))
    [ $((asked % every)) -eq $((1 % every)) ] || return 0
    # The parts that many states have in common are stored once (COLLAPSE); generators share everything, so there is nothing for
    # partial order reduction to reduce.
    if ! { spin -a "$@" "$here/lease.pml" &&
        "$cc" -O1 -w -DSAFETY -DNOREDUCE -DCOLLAPSE -DMEMLIM=3000 -o pan pan.c; } >log 2>&1; then
        cat log
        exit 1
    fi
    found=broken
    ./pan -E -n -m1000000 -w24 >log 2>&1 && found=$(verdict)
    awk -v name="$name" -v expected="${expected%s}" -v found="$found" '
        /depth reached/ { sub(",", "", $6); depth = $6 }
        /states, stored/ { states = $1 }
        /total actual memory usage/ { mib = $1 }
        /pan: elapsed time/ { seconds = $4 }
        END {
            printf "%-30s must %s, %-6s %9d states, depth %4d, %5d MiB, %6.1f s\n", name, expected, found, states,
                depth, mib, seconds
        }' log
    runs=$((runs + 1))
    if [ "$found" != "$expected" ]; then
        failures=$((failures + 1))
        echo "    $*"
        grep -v '^$' log
    fi
    rm -f pan ./*.trail
}

# Nothing is lost, whatever the clocks show: L1 to L5.
clocks='-DTIME=4 -DHORIZON=2 -DSKEW=0 -DCLOCK_AHEAD=1'
# The coordinator loses all, with the namespace: L5 to L8.
wipe='-DTIME=4 -DWATCHED=3 -DHORIZON=1 -DSKEW=0 -DCLOCK_AHEAD=1 -DWIPES=1'
# It falls back to an older copy, and its clock by max_skew: L6, L9.
back='-DTIME=4 -DWATCHED=4 -DHORIZON=2 -DSKEW=0 -DCLOCK_AHEAD=0 -DFALLBACKS=1 -DCLOCK_BEHIND=0'
# Two worker ids, of which a look shows one.
two='-DWORKERS=2 -DTIME=3 -DWATCHED=2 -DHORIZON=1 -DSKEW=0 -DCLOCK_AHEAD=0 -DCLOCK_BEHIND=0'
# Two processes that share a lease, and a third generator: share=host.
members='-DMEMBERS=1 -DNODES=3 -DWORKERS=2 -DTIME=2 -DHORIZON=1 -DSKEW=0 -DCLOCK_AHEAD=0 -DCLOCK_BEHIND=0 -DCRASHES=1'
back_skew='-DTIME=3 -DWATCHED=3 -DHORIZON=1 -DSKEW=1 -DCLOCK_AHEAD=2 -DFALLBACKS=1 -DCLOCK_BEHIND=0'

# shellcheck disable=SC2086 # lists of words
quick() {
    run holds "clocks" $clocks
    run holds "copies" $clocks -DWATCHED=3 -DCOPIES=1
    run holds "fallback" $back
    run fails "time lease, a tick of skew" $clocks -DWATCHED=3 -DCLASSIC
    run fails "L3: own token is a grant" $clocks -DCOPIES=1 -DIDEMPOTENT
    run fails "L6: no quarantine" $back -DNO_QUARANTINE
    run fails "L8: no second look" $wipe -DL8_WITHOUT_SECOND_LOOK
    run holds "two ids, sampled" $two
    run fails "L8: none after a sample" $two -DWIPES=1 -DOPERATORS=1 -DL8_WITHOUT_SECOND_LOOK
    promise=$all_taken
    run fails "all taken, by a sample" $two -DREFUSED_BY_A_SAMPLE
    promise=$one_owner
    run holds "members" $members -DWATCHED=3
    run fails "members: given back first" $members -DWATCHED=2 -DRELEASES=1 -DRELEASES_FIRST
    run fails "members: own token is a grant" $members -DWATCHED=3 -DCOPIES=1 -DTRUSTS_OWN_TOKEN
}

# shellcheck disable=SC2086
rest() {
    run fails "L1: without an answer" $clocks -DL1_WITHOUT_ANSWER
    run fails "L4: own token after doubt" $clocks -DCOPIES=1 -DTRUSTS_OWN_TOKEN
    run fails "L5: whatever the clock" $wipe -DOPERATORS=1 -DL5_ANY_CLOCK
    run fails "L6: a tick short" $back_skew -DQUARANTINE_SHORT
    run fails "L7: a fresh start" $wipe -DL7_FRESH_START
    run fails "L8: opened at once" -DTIME=3 -DWATCHED=2 -DHORIZON=1 -DSKEW=0 -DCLOCK_AHEAD=0 -DWIPES=1 -DOPERATORS=2 \
        -DHAS_NAMESPACE=0 -DL8_OPENS_AT_ONCE
    run fails "L9: whatever the time" $back -DL9_WITHOUT_TIME
    run fails "L9: taken early" $back -DTIME=3 -DFREED_BY_HAND -DL9_TAKES_EARLY
    run fails "L9: without 2 max_skew" -DTIME=3 -DWATCHED=3 -DHORIZON=2 -DSKEW=2 -DCLOCK_AHEAD=0 -DFALLBACKS=1 \
        -DL9_WITHOUT_SKEW
    run fails "L10: too little is said" $wipe -DOPERATORS=1 -DSAID_LESS=1
    run fails "L10: holders are silent" $wipe -DOPERATORS=1 -DSAID_LESS=1 -DLOOKS -DL10_SILENT
    run fails "L6: another's max_skew" -DTIME=4 -DWATCHED=4 -DHORIZON=1 -DSKEW=1 -DCLOCK_AHEAD=2 -DCLOCK_BEHIND=0 \
        -DWIPES=1 -DOPERATORS=1 -DSAID_LESS=2
    run holds "wipe, too little said" $wipe -DOPERATORS=1 -DSAID_LESS=1 -DLOOKS
    run holds "time lease, no skew" -DTIME=4 -DHORIZON=2 -DSKEW=0 -DCLOCK_AHEAD=0 -DCLOCK_BEHIND=0 -DCLASSIC
    run holds "clocks, horizon 3" -DTIME=6 -DHORIZON=3 -DSKEW=1 -DCLOCK_AHEAD=2
    run holds "copies, any tick" $clocks -DCOPIES=1
    run holds "crash" $clocks -DCRASHES=1
    run holds "late requests" $clocks -DWATCHED=3 -DLATE=1
    run holds "given back" -DTIME=3 -DWATCHED=2 -DHORIZON=2 -DSKEW=0 -DCLOCK_AHEAD=1 -DLATE=1 -DRELEASES=1
    run holds "wipe" $wipe -DOPERATORS=1
    run holds "fallback, skew" $back_skew
    run holds "fallback, freed by hand" $back -DFREED_BY_HAND
    run holds "two ids, clocks" -DWORKERS=2 -DTIME=3 -DWATCHED=2 -DHORIZON=2 -DSKEW=0 -DCLOCK_AHEAD=1
    run holds "two ids, copies" $two -DCOPIES=1
    run holds "two ids, wipe" $two -DWIPES=1 -DOPERATORS=1
    run holds "two ids, fallback" $two -DFALLBACKS=1
    run holds "members, given back" $members -DWATCHED=2 -DRELEASES=1
    run holds "members, copied" $members -DWATCHED=3 -DCOPIES=1
    run holds "members, three ticks" $members -DTIME=3 -DWATCHED=3
}

quick
[ "$wanted" = quick ] || rest
echo "$runs runs, $failures of them not as they must be"
[ "$failures" -eq 0 ]
