#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: each program of examples/ runs, and what it prints is what its first lines promise; the command, which
# shares no line with them, says so.
# shellcheck disable=SC2030,SC2031,SC2154 # each test has variables of its own; bats sets stderr

load ../cli/helpers
load ../cli/servers

setup() {
    leave_out
    unset FRAZIL_STATE
    export FRAZIL_RUN_DIR="$BATS_TEST_TMPDIR/run" FRAZIL_STATE_DIR="$BATS_TEST_TMPDIR/state" FRAZIL_HOST_DIR="$BATS_TEST_TMPDIR/host"
    ids=$BATS_TEST_TMPDIR/ids
}

example() {
    "$EXAMPLES/$1" "${@:2}"
}

# python_example FILE ARGUMENT...: over the shared library.
python_example() {
    PYTHONDONTWRITEBYTECODE=1 python3 "$EXAMPLES_SOURCE_DIR/$1" "${@:2}"
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
    for name in "$EXAMPLES_SOURCE_DIR"/*.py; do
        grep -q "\bpython_example $(basename "$name")\b" "$BATS_TEST_FILENAME"
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
    [ "$stderr" = "the program's granter reports: the table cannot be opened" ]
}

@test "replay: the same ids at each run, and what is said of a clock that goes back, as the manual shows it" {
    example replay >"$BATS_TEST_TMPDIR/first"
    example replay >"$BATS_TEST_TMPDIR/second"
    diff "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second"
    # shellcheck disable=SC2016 # backquotes end the block
    awk '/replay.c/ { told = 1 } told && /^```/ { if (inside) exit; inside = 1; next } inside' "$EXAMPLES_SOURCE_DIR/../docs/time.md" |
        diff - "$BATS_TEST_TMPDIR/first"
    head -n 3 "$BATS_TEST_TMPDIR/first" >"$ids"
    distinct 3
    [ "$(frazil inspect --json <"$ids" | json sequence | sort -u | wc -l)" -eq 3 ]
}

@test "worker_id: leased over a part that is linked, and given back behind the stamp" {
    local url=file://$BATS_TEST_TMPDIR/orders
    frazil lease init --never-used horizon=3s worker="$url"
    [[ $(example worker_id "$url") =~ ^"worker "[0-9]+", stamp good, to extend in "[0-9]{1,4}" ms"$ ]]
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

@test "binding.py: ids, and an exception for each error of the table" {
    command -v python3 >/dev/null || skip "no python3 here"
    if grep -q __asan_init "$FRAZIL"; then
        skip "the sanitizer wants no library before it"
    fi
    local gen="run_dir=$FRAZIL_RUN_DIR state_dir=$FRAZIL_STATE_DIR"
    run --separate-stderr python_example binding.py "worker=fixed:7 layout=twitter $gen"
    echo "$stderr"
    [ "$status" -eq 0 ]
    echo "$output" >"$ids"
    distinct 1000
    sort -n -c "$ids"
    [ "$(workers twitter)" = 7 ]
    [ "${#stderr_lines[@]}" -eq 2 ]
    [[ ${stderr_lines[0]} == E*", retry: "* ]]
    [[ ${stderr_lines[1]} == "ESPEC, usage: "*wroker* ]]
    run --separate-stderr python_example binding.py
    [ "$status" -eq 1 ]
    [[ $stderr == "usage: binding.py SPEC"* ]]
}

# says N TEXT: waits until the program has said the text so many times.
says() {
    local looks
    for ((looks = 0; looks < 3000; looks++)); do
        [ "$(grep -c "$2" "$BATS_TEST_TMPDIR/said")" -lt "$1" ] || return 0
        sleep 0.1
    done
    cat "$BATS_TEST_TMPDIR/said"
    return 1
}

@test "three_leases: the loop goes on while its coordinator is stopped, and says when its grants have ended" {
    serve redis
    local url="redis://127.0.0.1:$port/orders?timeout=60s" status=0
    frazil lease init --never-used horizon=3s worker="$url"
    exec 7<>"/dev/tcp/127.0.0.1/$port"
    printf 'INFO server\r\n' >&7
    redis=$(sed -n -u '/^process_id:/{s/[^0-9]//gp;q;}' <&7)
    mkfifo "$BATS_TEST_TMPDIR/end"
    example three_leases "$url" <"$BATS_TEST_TMPDIR/end" >"$ids" 2>"$BATS_TEST_TMPDIR/said" 3>&- 7>&- 8>&- &
    exec 9>"$BATS_TEST_TMPDIR/end"
    says 3 ': ready, grant of worker [0-9]* until 20'
    kill -STOP "$redis"
    # Nobody answers for 60 s: a loop that asked would say nothing for so long.
    says 3 ': not ready, grant of worker [0-9]* until 20' || status=$?
    kill -CONT "$redis"
    [ "$status" -eq 0 ]
    says 6 ': ready, grant'
    exec 9>&-
    wait $!
    distinct "$(wc -l <"$ids")"
    [ "$(workers frazil | wc -l)" -eq 3 ]
}

@test "events: the warning of opening, the ticks that were full, and nothing else" {
    run example events
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "warn-collision: worker 360, value 2928" ]
    # Told again only where this machine held the program up for a second.
    [ "$(printf '%s\n' "${lines[@]:1}" | sort -u)" = "overflow: worker 360, value 0" ]
}

@test "planner: what fits, and what going over to it does" {
    run example planner
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "41/10/12 epoch=1767225600000 tick=1ms: good" ]
    [ "${lines[1]}" = "39/10/14 epoch=1767225600000 tick=1ms: ends too soon" ]
    [ "${lines[2]}" = "39/16/8 epoch=1767225600000 tick=10ms: too slow" ]
    [ "${lines[3]}" = "41/5/17 epoch=1767225600000 tick=1ms: too few workers" ]
    [ "${lines[4]}" = "no layout: 45 + 10 + 12 bits are 67: an id has 64" ]
    [ "${lines[5]}" = "collide 1, missort 1, safe 2028-07-02T02:33:00.000Z" ]
    [ "${lines[6]}" = "collide 0, missort 0, safe 2027-01-01T05:49:12.000Z" ]
    [ "${#lines[@]}" -eq 7 ]
}
