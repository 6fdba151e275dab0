#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: what `frazil next` keeps between processes, and what it does when it is told no worker.

load helpers

setup() {
    leave_out
    unset FRAZIL_STATE
    export FRAZIL_RUN_DIR="$BATS_TEST_TMPDIR/run" FRAZIL_STATE_DIR="$BATS_TEST_TMPDIR/state"
}

@test "without a worker: one that is free on this host, and a word about it, once" {
    run --separate-stderr frazil next
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ "$stderr" == *"not among several"* ]]
    run --separate-stderr frazil next
    [ "$status" -eq 0 ]
    [ "$stderr" = "" ]
}

# Without a worker they would be drawn by the time of the start, and equal.
@test "snos of processes that start together: no id twice, and a word about the default" {
    local i
    for i in 1 2 3 4 5 6 7 8; do
        frazil next -n 3000 layout=sno >"$BATS_TEST_TMPDIR/snos$i" 2>>"$BATS_TEST_TMPDIR/words" &
    done
    wait
    [ "$(cat "$BATS_TEST_TMPDIR"/snos? | LC_ALL=C sort -u | wc -l)" -eq 24000 ]
    grep -q "not among several" "$BATS_TEST_TMPDIR/words"
}

@test "of a crowd that opens one number at once, each has its turn" {
    seq 500 | xargs -P 100 -I{} "$FRAZIL" next -q open_wait=5m worker=fixed:7 >"$BATS_TEST_TMPDIR/ids"
    [ "$(sort -u "$BATS_TEST_TMPDIR/ids" | wc -l)" -eq 500 ]
}

@test "processes at the same time get numbers of their own, and give them back" {
    mkfifo "$BATS_TEST_TMPDIR/fifo"
    "$FRAZIL" next --forever --rate 50 worker=file-lock >"$BATS_TEST_TMPDIR/fifo" &
    exec 9<"$BATS_TEST_TMPDIR/fifo"
    read -r first <&9
    second=$(frazil next worker=file-lock)
    [ "$(frazil inspect --json "$first" | grep -c '"worker":0')" -eq 1 ]
    [ "$(frazil inspect --json "$second" | grep -c '"worker":1')" -eq 1 ]
    exec 9<&-
    wait
    third=$(frazil next worker=file-lock)
    [ "$(frazil inspect --json "$third" | grep -c '"worker":0')" -eq 1 ]
}

@test "all numbers taken: an error that names the directory" {
    mkfifo "$BATS_TEST_TMPDIR/fifo"
    "$FRAZIL" next --forever --rate 50 worker=file-lock count=1 >"$BATS_TEST_TMPDIR/fifo" &
    exec 9<"$BATS_TEST_TMPDIR/fifo"
    read -r _ <&9
    fails 3 "$FRAZIL_RUN_DIR" frazil next worker=file-lock count=1 open_wait=0s
    exec 9<&-
    wait
}

@test "processes with the same worker share one sequence: no id twice, whoever is killed" {
    for _ in 1 2 3 4; do
        frazil next worker=fixed:7 -n 200000 &
    done >"$BATS_TEST_TMPDIR/ids"
    "$FRAZIL" next worker=fixed:7 --forever >/dev/null 3>&- &
    victim=$!
    sleep 0.1
    kill -9 "$victim"
    wait
    [ "$(wc -l <"$BATS_TEST_TMPDIR/ids")" -eq 800000 ]
    [ "$(sort -u "$BATS_TEST_TMPDIR/ids" | wc -l)" -eq 800000 ]
}

@test "processes that share a pipe do not cut each other's lines" {
    for _ in 1 2 3 4; do
        frazil next -n 50000 worker=fixed:0 &
    done | LC_ALL=C sort >"$BATS_TEST_TMPDIR/ids"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/ids")" -eq 200000 ]
    LC_ALL=C sort -c -u "$BATS_TEST_TMPDIR/ids"
    frazil verify "$BATS_TEST_TMPDIR/ids"
}

@test "another layout in the same namespace is refused with both" {
    frazil next worker=fixed:1 namespace=orders layout=twitter
    fails 4 "10/12 epoch=1288834974657" frazil next worker=fixed:1 namespace=orders layout=discord
}

@test "a directory that cannot be made: the way out is named" {
    fails 4 "state=memory" frazil next worker=fixed:1 run_dir=/proc/nowhere
    frazil next worker=fixed:1 run_dir=/proc/nowhere state=memory
}

@test "a namespace is a plain name" {
    fails 2 "namespace=" frazil next worker=fixed:1 namespace=../escape
}

@test "what outlives the process does not go with what does not" {
    fails 2 "frozen" frazil next worker=fixed:1 state=file clock=frozen:2026-05-01
    fails 2 "file-lock" frazil next worker=file-lock state=memory
    fails 2 "worker=auto" frazil next layout=sno worker=auto state=file
}

@test "a partition that another process may draw, too: a word about it each time, unless quiet" {
    for _ in 1 2; do
        run --separate-stderr frazil next layout=sno worker=auto
        [ "$status" -eq 0 ]
        [[ "$stderr" == "frazil: worker=auto is unique within this process only: "* ]]
    done
    run --separate-stderr frazil next -q layout=sno worker=auto
    [ "$status" -eq 0 ]
    [ "$stderr" = "" ]
    run --separate-stderr frazil next layout=sno worker=fixed:1
    [ "$stderr" = "" ]
}

@test "a worker id that two hosts may well have: a word about it, once, unless quiet" {
    run --separate-stderr frazil next --json worker=hostname-hash hostname=app-240 count=256 expect=5
    [ "$status" -eq 0 ]
    [[ "$output" == *'"worker":103,'* ]]
    [[ "$stderr" == "frazil: the probability that two of the expected hosts share a worker id, "*" is 3.8532 %; "* ]]
    run --separate-stderr frazil next worker=hostname-hash hostname=app-240 count=256 expect=5
    [ "$stderr" = "" ]
    run --separate-stderr frazil next -q worker=ip-hash ip=10.0.0.7 expect=20
    [ "$status" -eq 0 ]
    [ "$stderr" = "" ]
    run --separate-stderr frazil next worker=ip-hash ip=10.0.0.8 expect=5
    [ "$stderr" = "" ]
    run --separate-stderr frazil next --quiet
    [ "$status" -eq 0 ]
    [ "$stderr" = "" ]
}
