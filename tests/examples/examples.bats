#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: each program of examples/ runs, and what it prints is what its first lines promise; the command, which
# shares no line with them, says so.
# shellcheck disable=SC2154 # bats sets stderr

load ../cli/helpers

setup() {
    unset FRAZIL_STATE
    export FRAZIL_RUN_DIR="$BATS_TEST_TMPDIR/run" FRAZIL_STATE_DIR="$BATS_TEST_TMPDIR/state"
    ids=$BATS_TEST_TMPDIR/ids
}

example() {
    "$EXAMPLES/$1" "${@:2}"
}

# distinct N: the ids are so many, and no two alike.
distinct() {
    [ "$(wc -l <"$ids")" -eq "$1" ]
    [ "$(sort -u "$ids" | wc -l)" -eq "$1" ]
}

# workers LAYOUT: the worker numbers that the ids bear, each once.
workers() {
    frazil inspect --json --layout "$1" <"$ids" | json worker | sort -u
}

# A new example comes with its test.
@test "every example is tested here" {
    local name
    for name in "$EXAMPLES_SOURCE_DIR"/*.c; do
        grep -q "\bexample $(basename "$name" .c)\b" "$BATS_TEST_FILENAME"
    done
}

@test "one_id" {
    example one_id >"$ids"
    distinct 1
    [ "$(workers frazil)" = 7 ]
    # The state is kept: the next process goes on above it.
    [ "$(example one_id)" -gt "$(cat "$ids")" ]
}

@test "batches: exactly 5000, increasing" {
    example batches >"$ids"
    distinct 5000
    sort -n -c "$ids"
    [ "$(workers twitter)" = 7 ]
}

@test "event_loop: 100 ids, 16 a millisecond, and the loop in between" {
    run --separate-stderr example event_loop
    [ "$status" -eq 0 ]
    [ "$stderr" = "back to the loop: yes" ]
    echo "$output" >"$ids"
    distinct 100
    sort -n -c "$ids"
    [ "$(workers 41/10/4)" = 7 ]
}

@test "threads: all distinct, each thread's increasing" {
    example threads >"$BATS_TEST_TMPDIR/lines"
    cut -d ' ' -f 2 "$BATS_TEST_TMPDIR/lines" >"$ids"
    distinct 4000
    sort -c -k 1n -k 2n "$BATS_TEST_TMPDIR/lines"
    [ "$(workers frazil)" = 7 ]
}

@test "prefork: five processes, all distinct" {
    example prefork >"$ids"
    distinct 5000
    [ "$(workers frazil)" = 7 ]
}

@test "spec: each mistake is named" {
    run --separate-stderr example spec
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 6 ]
    [[ ${lines[0]} == "FRAZIL_ENOWORKER: "*"worker="* ]]
    [[ ${lines[1]} == "FRAZIL_EWORKER: "*1024*1023* ]]
    [[ ${lines[2]} == "FRAZIL_EWORKER: "*EXAMPLE_UNSET* ]]
    [[ ${lines[3]} == "FRAZIL_ESPEC: "*on_ful* ]]
    [[ ${lines[4]} == "FRAZIL_ELAYOUT: "*65* ]]
    [ "${lines[5]}" = "worker 71 is 7 in datacenter 2, 4096 ids a millisecond" ]
}

@test "sno: two kinds" {
    example sno >"$BATS_TEST_TMPDIR/lines"
    [ "$(cut -d ' ' -f 2- "$BATS_TEST_TMPDIR/lines")" = $'o 300\ni 300' ]
    cut -d ' ' -f 1 "$BATS_TEST_TMPDIR/lines" >"$ids"
    distinct 2
    [ "$(frazil inspect --json --layout sno <"$ids" | json meta)" = $'111\n105' ]
    [ "$(frazil inspect --json --layout sno <"$ids" | json partition)" = $'300\n300' ]
}

@test "snapshot: the second run goes on above the first" {
    example snapshot >"$BATS_TEST_TMPDIR/lines"
    [[ $(sed -n 2p "$BATS_TEST_TMPDIR/lines") == *'"wallHi":'* ]]
    sed 2d "$BATS_TEST_TMPDIR/lines" >"$ids"
    distinct 2
    LC_ALL=C sort -c -u "$ids"
}

@test "range: the command has the same two ids" {
    [ "$(example range)" = "SELECT * FROM orders WHERE id BETWEEN $(
        frazil range --layout twitter 2026-05-01 2026-05-01T23:59:59.999Z | paste -s -d , | sed 's/,/ AND /'
    );" ]
}

@test "lease: an id at least for each look, of one worker, and the worker id is given back" {
    local url=file://$BATS_TEST_TMPDIR/orders
    fails_without_namespace "$url"
    frazil lease init --never-used horizon=3s worker="$url"
    example lease "$url" >"$ids"
    sort -n -c "$ids"
    distinct "$(wc -l <"$ids")"
    [ "$(wc -l <"$ids")" -ge 2 ]
    [ "$(workers frazil | wc -l)" -eq 1 ]
    [ "$(frazil lease list --json "$url" | json state)" = released ]
}

@test "granter: processes side by side and one after the other have no id in common" {
    local table=$BATS_TEST_TMPDIR/table n
    for n in 1 2 3 4; do
        example granter "$table" >"$ids.$n" &
    done
    wait
    for n in 5 6; do
        example granter "$table" >"$ids.$n"
    done
    cat "$ids".? >"$ids"
    distinct 60
    run --separate-stderr example granter "$BATS_TEST_TMPDIR/no/table"
    [ "$status" -eq 1 ]
    [ "$stderr" = "the program's granter says: the table cannot be opened" ]
}

@test "worker_id: leased, and given back behind the stamp" {
    local url=file://$BATS_TEST_TMPDIR/orders
    frazil lease init --never-used horizon=3s worker="$url"
    [[ $(example worker_id "$url") == "worker "*", stamp good" ]]
    [ "$(frazil lease list --json "$url" | json state)" = released ]
    run --separate-stderr example worker_id file:///dev/null/orders
    [ "$status" -eq 1 ]
    [ -n "$stderr" ]
}

fails_without_namespace() {
    run --separate-stderr example lease "$1"
    [ "$status" -eq 1 ]
    [[ $stderr == *"there is no namespace"* ]]
}
