#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: frazil doctor examines what the spec says, prints it for people and for machines, and its exit
# status is that of the worst finding.  The findings are tested in tests/unit/test_doctor.c.
# shellcheck disable=SC2154 # bats sets stderr

load helpers

setup() {
    leave_out
    unset FRAZIL_STATE
    export FRAZIL_RUN_DIR="$BATS_TEST_TMPDIR/run" FRAZIL_STATE_DIR="$BATS_TEST_TMPDIR/state"
    url=file://$BATS_TEST_TMPDIR/orders
}

# finds STATUS LEVEL ID ARGUMENT...: among the findings is that one, and the status is that.
finds() {
    local status_expected=$1 level=$2 id=$3
    shift 3
    run --separate-stderr frazil doctor --json "$@"
    echo "status $status, output: $output, stderr: $stderr"
    [ "$status" -eq "$status_expected" ]
    [ -z "$stderr" ]
    grep -q "^{\"level\":\"$level\",\"id\":\"$id\"," <<<"$output"
}

@test "without a spec: what frazil next would do, which is for one host only" {
    finds 1 WARN worker.default
    finds 2 FAIL worker.file-lock-many --hosts 2
    [ -d "$FRAZIL_RUN_DIR" ]
    [ "$(frazil state | tail -n 1)" = "nothing is kept here yet" ]
}

@test "for people: levels in brackets, subjects together, advice last" {
    run frazil doctor worker=fixed:7
    [[ ${lines[0]} =~ ^\[(OK|WARN|FAIL)\]\ {1,3}clock:\  ]]
    [ "$(sed 's/^\[[A-Z]*\] *//; s/:.*//' <<<"$output" | uniq | tr '\n' ' ')" = "clock run state worker layout fork advice " ]
    [[ $output != *$'\33'* ]]
    [[ $(frazil doctor --color always) == *$'\33['*"OK"* ]]
    run frazil doctor --quiet worker=fixed:7
    [[ $output != *"[OK]"* ]]
}

@test "the status is that of the worst finding" {
    finds 2 FAIL clock.before-epoch worker=fixed:7 epoch=2100-01-01
    finds 2 FAIL worker.unusable worker=env:TEST_UNSET
    finds 2 FAIL run.unusable worker=fixed:7 run_dir=/proc/nowhere
    finds 1 WARN state.none worker=fixed:7 state=memory clock=frozen:2026-05-01
}

@test "advice about names and bits that a person would miss" {
    run frazil doctor --json worker=hostname-hash hostname=7f3a2b1c4d5e expect=1 layout=41/8/10 behaviour=konayuki
    [[ $output == *'"worker.random-name"'*7f3a2b1c4d5e* ]]
    [[ $output == *'"layout.not-konayuki"'*"add up to 59"* ]]
    run frazil doctor --json worker=hostname-hash hostname=orders-3 expect=1 layout=41/8/10
    [[ $output != *random-name* && $output != *not-konayuki* && $output == *'"layout.spare-bits"'*"4 more fit"* ]]
}

@test "an address or a name that other hosts have as well gives no worker id" {
    for spec in "ip-hash expect=2 ip=127.0.0.1" "ip-hash expect=2 ip=169.254.0.9" "ip-last-octet ip=0.0.0.0" \
        "ip-hash expect=2 ip=fe80::1" "hostname-hash expect=2 hostname=localhost"; do
        finds 2 FAIL worker.unusable state=memory $(printf 'worker=%s' "$spec")
    done
}

@test "a step of the clock since the last run" {
    frazil doctor worker=fixed:7 >"$BATS_TEST_TMPDIR/out" || true
    read -r boot offset <"$FRAZIL_RUN_DIR/doctor.clock"
    echo "$boot $((offset - 5000000))" >"$FRAZIL_RUN_DIR/doctor.clock"
    run frazil doctor --json worker=fixed:7
    # The clock may have been slewed by some ms between the two runs.
    [[ $output =~ '"clock.stepped"'.*'by '(4 s 9[0-9][0-9] ms|5 s( [0-9]{1,2} ms)?)' since' ]]
    run frazil doctor --json worker=fixed:7
    [[ $output == *'"clock.steady"'* ]]
}

@test "files that no start can use" {
    frazil next worker=fixed:7 namespace=n
    : >"$FRAZIL_STATE_DIR/n/worker-7.grant"
    finds 2 FAIL state.damaged worker=fixed:7 namespace=n
    frazil state init worker=fixed:7 namespace=n
    run frazil doctor --json worker=fixed:7 namespace=n
    [[ $output != *state.damaged* ]]
}

@test "a coordinator: not there, wiped, as it should be, of another layout, full" {
    finds 2 FAIL coordinator.no-namespace "$url"
    frazil lease init --never-used workers=10 horizon=3s worker="$url"
    finds 1 WARN coordinator.class "$url"
    finds 1 OK coordinator.namespace "worker=$url"
    finds 1 OK coordinator.round-trip "worker=$url"
    finds 1 OK state.elsewhere "worker=$url"
    [[ $output != *'"subject":"run"'* && $output == *"each process has its own number"* ]]
    finds 1 OK worker.leased "worker=$url" share=host
    [[ $output == *'"subject":"run"'* && $output == *"the processes of this host share one number"* ]]
    finds 2 FAIL run.unusable "worker=$url" share=host run_dir=/proc/nowhere
    [[ $output == *"with share=process"* ]]
    finds 1 WARN coordinator.horizon-differs "worker=$url" horizon=5s
    finds 2 FAIL coordinator.layout-differs "worker=$url" layout=twitter
    finds 2 FAIL coordinator.full --hosts 11 "$url"
    frazil lease list "$url" | grep -qx 'worker ids  10, held now: 0' # none was taken
}

@test "a coordinator that cannot be asked" {
    : >"$BATS_TEST_TMPDIR/libfrazil-file.so.1"
    LD_LIBRARY_PATH=$BATS_TEST_TMPDIR finds 2 FAIL coordinator.absent "$url"
    finds 2 FAIL coordinator.absent gopher://orders
    if frazil version | grep -q "^redis: hiredis"; then
        finds 2 FAIL coordinator.silent redis://127.0.0.1:1/orders
    fi
}

@test "what is wrong with it" {
    fails 2 "is not a source of worker ids" frazil doctor worker=nonsense
    fails 2 "unknown" frazil doctor nonsense=1
    fails 2 "at least 1" frazil doctor --hosts 0
    fails 2 "never" frazil doctor --color blue
}

@test "a run directory that a process uses with another state directory" {
    mkfifo "$BATS_TEST_TMPDIR/fifo"
    "$FRAZIL" next --forever --rate 50 worker=fixed:7 >"$BATS_TEST_TMPDIR/fifo" &
    exec 9<"$BATS_TEST_TMPDIR/fifo"
    read -r _ <&9
    run frazil doctor worker=fixed:7
    [[ $output != *"is in use"* ]]
    finds 2 FAIL worker.other-user worker=fixed:7 "state_dir=$BATS_TEST_TMPDIR/other"
    [[ $output == *"worker id 7 is in use with the run directory '$FRAZIL_RUN_DIR' by a process whose state is in '$FRAZIL_STATE_DIR/"* ]]
    fails 2 "give both one state_dir=" frazil next worker=fixed:7 "state_dir=$BATS_TEST_TMPDIR/other"
    exec 9<&-
    wait
    finds 1 OK worker.given worker=fixed:7 "state_dir=$BATS_TEST_TMPDIR/other"
}

# while_has SPEC COMMAND...: the command, while a process of this host makes ids with that spec.
while_has() {
    local fifo
    fifo=$(mktemp -u -p "$BATS_TEST_TMPDIR")
    mkfifo "$fifo"
    "$FRAZIL" next --forever --rate 50 "$1" >"$fifo" &
    exec 9<"$fifo"
    read -r _ <&9
    "${@:2}"
    exec 9<&-
    wait
}

@test "a state directory that was removed under a process" {
    lose_state() {
        rm -r "$FRAZIL_STATE_DIR"
        fails 2 "it was removed and made anew, or is that of another container" frazil next worker=fixed:7
    }
    while_has worker=fixed:7 lose_state
}

@test "a worker id that a program of this host has from another source" {
    frazil lease init --never-used workers=10 horizon=3s worker="$url"
    run frazil doctor --json "$url"
    [[ $output != *worker.other-source* ]]
    while_has worker=file-lock finds 1 WARN worker.other-source "worker=$url"
    [[ $output == *"worker id 0, which this coordinator can grant, is in use on this host from another source, by uid "*"'$FRAZIL_RUN_DIR'"*"its own range with base= and count="* ]]
    while_has worker=fixed:9 finds 1 WARN worker.other-source "worker=$url" base=8
    while_has worker=fixed:9 finds 1 OK worker.leased "worker=$url" count=9
    [[ $output != *worker.other-source* ]]
    while_has worker=fixed:10 finds 1 OK worker.leased "worker=$url"
    [[ $output != *worker.other-source* ]]
    while_has worker=fixed:7 finds 1 WARN worker.other-source worker=fixed:7 "state=konayuki+file://$BATS_TEST_TMPDIR/slots"
    [[ $output == *"without the state= of this spec"* ]]
    while_has worker=fixed:6 frazil doctor --json worker=fixed:7 "state=konayuki+file://$BATS_TEST_TMPDIR/slots" >"$BATS_TEST_TMPDIR/out" || true
    run ! grep -q worker.other-source "$BATS_TEST_TMPDIR/out"
}

# where_read_only ARGUMENT...: the command where the host directory is read-only.
where_read_only() {
    # shellcheck disable=SC2016 # $ is for the shell inside
    unshare --user --map-root-user --mount sh -c 'mount -t tmpfs -o mode=1777 shm /dev/shm &&
        mount -o remount,ro /dev/shm && unset FRAZIL_HOST_DIR && exec "$@"' sh "$FRAZIL" "$@"
}

# tells_where_read_only LEVEL ID SPEC
tells_where_read_only() {
    run where_read_only doctor --json "${@:3}"
    echo "$output"
    grep -q "^{\"level\":\"$1\",\"id\":\"$2\",.*Read-only file system" <<<"$output"
}

@test "a host directory that is read-only is told as opening takes it" {
    unshare --user --map-root-user --mount true || skip "may not mount anything here"
    local spec
    for spec in worker=fixed:7 worker=file-lock "worker=fixed:7 state=memory"; do
        # shellcheck disable=SC2086 # a spec may be several words
        tells_where_read_only FAIL host.unusable $spec
        # shellcheck disable=SC2086
        run where_read_only next $spec
        [ "$status" -ne 0 ]
    done
}

@test "a lock that a process holds for too long" {
    frazil next worker=fixed:7
    local guard
    guard=$(find "$FRAZIL_STATE_DIR" -name worker-7.grant.lock)
    exec 9<>"$guard"
    flock 9
    finds 2 FAIL state.held-up worker=fixed:7
    [[ $output == *"has held the lock '$guard' for longer than the call may wait"* && $output == *"fuser -v"* ]]
    fails 3 "if the process is stopped, resume it" frazil next worker=fixed:7 open_wait=100ms
    exec 9<&-
    finds 1 OK worker.given worker=fixed:7
}
