# SPDX-License-Identifier: MIT
# Goal of this test: what the laboratory (bench/lab) prints is complete, and says what it could not measure.  Never what it
# measures.
load helpers

: "${TEST_LAB:=frazil-lab}"

keys='two_counter_add two_next two_processes one_local two_local open_lock open_env open_ordinal open_hash open_octet open_ip_hash
    open_auto open_lease rate_share rate_cpu alone_p50 alone_p99 alone_p999 alone_p9999 alone_max limit_threads limit_p50 limit_p99
    limit_p999 limit_p9999 limit_max limit_p50_ticks limit_p999_ticks limit_max_ticks limit_smallest_share aged crowd_1 crowd_10
    words_10 crowd_100 words_100 crowd_1000 words_1000 hasty_1000 held leased far new old open_lock_none open_lock_held
    open_lock_base open_lease_none open_lease_held'

# In memory, as a run directory is: on a disk opening takes long.
setup() {
    XDG_RUNTIME_DIR=$(mktemp -d /dev/shm/frazil-test-XXXXXX || mktemp -d "$BATS_TEST_TMPDIR/XXXXXX")
    export XDG_RUNTIME_DIR
}

teardown() {
    rm -rf "$XDG_RUNTIME_DIR"
}

lab() {
    timeout 300 "$TEST_LAB" -q "$@"
}

@test "every row is there once, with numbers in order, and nothing is left in the scratch directory" {
    # Of so few ids a tick that any caller uses them up.
    lab -t 4 -j layout=41/10/8 worker=fixed:0 state=memory >"$BATS_TEST_TMPDIR/json"
    for key in $keys; do
        [ "$(grep -c "\"key\":\"$key\"," "$BATS_TEST_TMPDIR/json")" -eq 1 ] || { echo "$key" && return 1; }
    done
    [ "$(grep -c '"key":' "$BATS_TEST_TMPDIR/json")" -eq "$(echo "$keys" | wc -w)" ]
    # Two that did not run at the same time, on a busy machine, and a host without an address have no figures and a note
    # instead; all others have figures.
    sed '1d;$d' "$BATS_TEST_TMPDIR/json" | awk '
        !/"median":null/ || !/"rounds":0,/ || !/"missed":3,/ ||
            (!/"key":"two_.*"note":"the two did not run at the same time: / && !/"key":"open_(octet|ip_hash)".*"note":"this host has no address /) { print }
    ' >"$BATS_TEST_TMPDIR/measured"
    awk -F '"(rounds|min|q1|median|q3|max|targets)":' '
        NF != 8 || $2 + 0 < 1 || $3 + 0 > $4 + 0 || $4 + 0 > $5 + 0 || $5 + 0 > $6 + 0 || $6 + 0 > $7 + 0 { print; bad = 1 }
        END { exit bad || NR == 0 }' "$BATS_TEST_TMPDIR/measured"
    [ -z "$(ls "$XDG_RUNTIME_DIR")" ]
}

@test "the spec's generator is taken to its limit: sno, and one that refuses to be" {
    # A caller that a busy machine or a sanitizer slows down does not reach it, and that is told.
    lab -p limit -t 2 -j layout=sno worker=fixed:1 state=memory |
        grep -qE '"key":"limit_p50"|"key":"rate_share".*"note":"one caller cannot use up a tick: '
    lab -p limit -t 2 -j worker=fixed:1 on_full=error state=memory >"$BATS_TEST_TMPDIR/json"
    grep -q '"key":"alone_p50"' "$BATS_TEST_TMPDIR/json"
    run ! grep -qE '"key":"(rate_share|limit_p50)"' "$BATS_TEST_TMPDIR/json"
}

@test "a limit that nobody reaches, or not in time, is not measured: one row says so" {
    for spec in layout=39/1/24 'layout=32/1/30 tick=1s' 'layout=20/1/12 tick=24h'; do
        lab -p limit -t 2 -n 1 -j "$spec" worker=fixed:0 state=memory >"$BATS_TEST_TMPDIR/json"
        grep '"key":"rate_share"' "$BATS_TEST_TMPDIR/json" | grep -q '"rounds":0,.*"missed":1,"note":".*"targets":\[\]'
        grep -q '"key":"alone_p50"' "$BATS_TEST_TMPDIR/json"
        run ! grep -qE '"key":"(rate_cpu|limit_.*)"' "$BATS_TEST_TMPDIR/json"
    done
}

@test "two that never have a processor each do not run at the same time, and are not judged" {
    command -v taskset >/dev/null || skip "there is no taskset"
    taskset -c "$(awk '$1 == "Cpus_allowed_list:" { sub(/[-,].*/, "", $2); print $2 }' /proc/self/status)" \
        "$TEST_LAB" -q -p pairs -n 1 >"$BATS_TEST_TMPDIR/text"
    [ "$(grep -c ' - ns .* the two did not run at the same time: no two processors were free (1 of 1 rounds)$' "$BATS_TEST_TMPDIR/text")" -eq 4 ]
    run ! grep -E '^  (threads|processes): .*(ok|MISSED)' "$BATS_TEST_TMPDIR/text"
}

@test "where there is no network address, the sources that need one say so" {
    unshare --user --map-root-user --net true || skip "no network can be taken away here"
    unshare --user --map-root-user --net "$TEST_LAB" -q -p sources -n 1 >"$BATS_TEST_TMPDIR/text"
    [ "$(grep -c '^  ip-.* - us .* this host has no address of its own that would do (1 of 1 rounds)$' "$BATS_TEST_TMPDIR/text")" -eq 2 ]
}

@test "rounds of latencies are as many as fit, and the longest call is of all of them" {
    lab -p limit -n 7 -t 2 -j layout=41/10/8 worker=fixed:0 state=memory >"$BATS_TEST_TMPDIR/json"
    for key in rate_share rate_cpu alone_p50 alone_p9999 limit_p50 limit_p999_ticks; do
        [ "$(grep "\"key\":\"$key\"" "$BATS_TEST_TMPDIR/json" | json rounds)" -eq 2 ] || { echo "$key" && return 1; }
    done
    for key in alone_max limit_max limit_max_ticks limit_threads limit_smallest_share; do
        [ "$(grep "\"key\":\"$key\"" "$BATS_TEST_TMPDIR/json" | json rounds)" -eq 1 ] || { echo "$key" && return 1; }
    done
}

@test "what it does not take" {
    fails 2 "from 1 to 1024" lab -t 1025
    fails 2 "from 1 to 1000" lab -n 0
    fails 2 "no part \"all\"" lab -p all
    fails 2 "usage: frazil-lab" lab -x
    fails 2 "colour" lab worker=fixed:1 colour=red
}
