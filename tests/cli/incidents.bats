#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: the incidents of docs/operations.md are brought about; what is then said is what the page shows, but for
# times, numbers and names, and the page's steps are a way out.
# shellcheck disable=SC2030,SC2031,SC2154 # each test has an environment of its own; bats sets them

load helpers
load servers
load transcripts

setup() {
    leave_out
    page=$BATS_TEST_DIRNAME/../../docs/operations.md
    unset FRAZIL_STATE
    export FRAZIL_RUN_DIR="$BATS_TEST_TMPDIR/run" FRAZIL_STATE_DIR="$BATS_TEST_TMPDIR/state" FRAZIL_NAMESPACE=orders
    grant=$FRAZIL_STATE_DIR/orders/worker-7.grant
    folder=file://$BATS_TEST_TMPDIR/orders
}

teardown() {
    umount "$BATS_TEST_TMPDIR/orders" "$BATS_TEST_TMPDIR/disk" 2>/dev/null || true # of a test that has failed
}

# shape: lines without what differs each time.
shape() {
    sed -E "s|'/[^']*/|'DIR/|g; s|redis://[^/ ]*/|redis://HOST/|g; s/[0-9-]{10}T[0-9:.]{12}Z/TIME/g
        s/\<[0-9]+ (d|h|min|s|ms|us)( [0-9]+ (h|min|s|ms|us))?\>/DURATION/g
        s/ by [^ ]+:[0-9]+ until/ by OWNER until/g; s/\"owner\":\"[^\"]*\"/OWNER/; s/[0-9]+/N/g; s/  +/ /g"
}

# in_page: each line on standard input stands in the page, and there is one.
in_page() {
    local line count=0
    shape <"$page" >"$BATS_TEST_TMPDIR/page"
    while IFS= read -r line; do
        echo "$line"
        grep -qxF -- "$(shape <<<"$line")" "$BATS_TEST_TMPDIR/page"
        count=$((count + 1))
    done
    [ "$count" -gt 0 ]
}

# says STATUS COMMAND...: it exits with that, and its one line on standard error stands in the page.
says() {
    fails "$1" "" "${@:2}"
    in_page <<<"$stderr"
}

# service SPEC...: a program that takes ids until it gets none; returns when it has the first one.
service() {
    mkfifo "$BATS_TEST_TMPDIR/ids"
    "$FRAZIL" next --forever --rate 50 "$@" >"$BATS_TEST_TMPDIR/ids" 2>"$BATS_TEST_TMPDIR/last_words" 3>&- 8>&- &
    service=$!
    exec 9<"$BATS_TEST_TMPDIR/ids"
    read -r first <&9
}

# ends STATUS: the service ends by itself, with that.
ends() {
    local status_is=0
    cat <&9 >"$BATS_TEST_TMPDIR/rest"
    wait "$service" || status_is=$?
    cat "$BATS_TEST_TMPDIR/last_words"
    [ "$status_is" -eq "$1" ]
}

# A clock that can be set, in milliseconds from the real one, by writing them into the file `offset`.
settable_clock() {
    if grep -q __asan_init "$FRAZIL"; then
        skip "the sanitizer wants no library before it"
    fi
    cat >"$BATS_TEST_TMPDIR/clock.c" <<'C'
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *ts)
{
    long ms = 0;
    int ret = (int)syscall(SYS_clock_gettime, id, ts);
    FILE *file = id == CLOCK_REALTIME ? fopen(OFFSET, "r") : NULL;
    if (file != NULL) {
        if (fscanf(file, "%ld", &ms) != 1)
            ms = 0;
        fclose(file);
        ts->tv_sec += ms / 1000;
        ts->tv_nsec += ms % 1000 * 1000000;
        if (ts->tv_nsec >= 1000000000) {
            ts->tv_nsec -= 1000000000;
            ts->tv_sec++;
        }
        if (ts->tv_nsec < 0) {
            ts->tv_nsec += 1000000000;
            ts->tv_sec--;
        }
    }
    return ret;
}
C
    "${CC:-cc}" -shared -fPIC -DOFFSET="\"$BATS_TEST_TMPDIR/offset\"" -o "$BATS_TEST_TMPDIR/clock.so" "$BATS_TEST_TMPDIR/clock.c"
    export LD_PRELOAD=$BATS_TEST_TMPDIR/clock.so
}

# set_clock MS: at once, so that nobody reads half of it.
set_clock() {
    echo "$1" >"$BATS_TEST_TMPDIR/offset.new"
    mv "$BATS_TEST_TMPDIR/offset.new" "$BATS_TEST_TMPDIR/offset"
}

# ms_of ID: its time.
ms_of() {
    frazil inspect --json "$1" | json unix_ms
}

@test "a duplicate key" {
    serve postgresql
    psql=(psql -X -h 127.0.0.1 -p "$port" -U owner postgres)
    "${psql[@]}" -qc 'CREATE TABLE orders (id bigint PRIMARY KEY)' -c 'INSERT INTO orders VALUES (43667737804828672)'
    run "${psql[@]}" -qc 'INSERT INTO orders VALUES (43667737804828672)'
    [ "${#lines[@]}" -eq 2 ]
    in_page <<<"$output"
}

@test "the clock was ahead: another number, or a file made anew" {
    settable_clock
    set_clock 3600000
    ahead=$(frazil next worker=fixed:7)
    set_clock 0
    says 3 frazil next worker=fixed:7
    frazil next worker=fixed:8
    run -2 frazil doctor --json worker=fixed:7
    [[ $output == *'"state.ahead"'*"worker 7 can issue no id before"* ]]
    run frazil doctor --json worker=fixed:8
    [[ $output != *'"state.ahead"'* ]]
    frazil state init --all worker=fixed:7 | in_page
    frazil state worker=fixed:7 | tail -n 1 | in_page
    id=$(frazil next max_lead=10s worker=fixed:7)
    [ "$(ms_of "$id")" -lt $(($(ms_of "$ahead") - 3000000)) ]
    # The hour has come: what was made ahead is left out.
    set_clock 3600000
    [ "$(frazil next max_wait=30s worker=fixed:7)" -gt "$ahead" ]
}

@test "the clock was ahead, with share=host: the word that the processes go on with is made anew" {
    settable_clock
    frazil lease init --never-used worker="$folder"
    set_clock 3600000
    ahead=$(frazil next worker="$folder" share=host)
    set_clock 0
    run -3 --separate-stderr frazil next worker="$folder" share=host
    frazil state init --all worker="$folder" share=host
    id=$(frazil next worker="$folder" share=host)
    [ "$(ms_of "$id")" -lt $(($(ms_of "$ahead") - 3000000)) ]
}

@test "the clock went back under a running service: a little is not seen, much ends it" {
    settable_clock
    set_clock 0
    service worker=fixed:7
    set_clock -500
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        read -r next <&9
        [ "$next" -gt "$first" ]
        first=$next
    done
    set_clock -120000
    ends 3
    in_page <"$BATS_TEST_TMPDIR/last_words"
    set_clock 0
    [ "$(frazil next worker=fixed:7)" -gt "$first" ]
}

@test "the clock went back, but not to before the start" {
    settable_clock
    set_clock 0
    service worker=fixed:7 max_lead=10ms max_wait=50ms
    for _ in {1..150}; do # three seconds
        read -r first <&9
    done
    set_clock -2500
    ends 3
    in_page <"$BATS_TEST_TMPDIR/last_words"
    set_clock 0
    [ "$(frazil next worker=fixed:7)" -gt "$first" ]
}

@test "the coordinator is away" {
    serve redis
    url=redis://127.0.0.1:$port/orders
    frazil lease init --never-used "worker=$url" horizon=3s
    service worker="$url"
    serve_no_more
    read -r _ <&9 # it goes on
    ends 4
    # The last time that it was asked may have been after the grant's end, on a machine that has more to do.
    sed 's/ was ours until / is ours until /; s/cannot connect: .*/cannot connect: Connection refused/' \
        "$BATS_TEST_TMPDIR/last_words" | in_page
}

@test "the coordinator was wiped" {
    serve redis
    url=redis://127.0.0.1:$port/orders
    frazil lease init --never-used "worker=$url" horizon=3s
    service worker="$url"
    redis-cli -p "$port" FLUSHALL
    says 2 frazil next worker="$url"
    ends 4
    vanished=$(grep -o "namespace 'orders' has vanished.*" "$BATS_TEST_TMPDIR/last_words")
    grep -qF "$vanished" "$page"
    says 2 frazil lease init "worker=$url"
    # Longer than a busy machine takes to ask for an id.
    frazil lease init "worker=$url" horizon=600s max_skew=250ms 2>"$BATS_TEST_TMPDIR/warnings" | in_page
    fails 3 "its first ids come at" frazil next worker="$url" max_wait=0s
    grep -qF "$(shape <<<"$stderr")" <(shape <"$page")
}

@test "the pool is exhausted" {
    frazil lease init --never-used worker="$folder" workers=2
    service worker="$folder"
    exec 7<&9
    rm "$BATS_TEST_TMPDIR/ids"
    service worker="$folder"
    says 3 frazil next worker="$folder" open_wait=0s
    frazil lease list --json "$folder" | in_page
    frazil lease release -w 1 "$folder" | in_page
    # The next process that takes it waits until its grant has ended.
    says 3 frazil next worker="$folder" max_wait=0s
    exec 7<&- 9<&-
    wait
}

@test "a state file is damaged, empty, of another layout" {
    first=$(frazil next worker=fixed:7)
    for at in 100 4196; do
        printf x | dd of="$grant" bs=1 seek=$at conv=notrunc status=none
    done
    says 4 frazil next worker=fixed:7
    frazil state init worker=fixed:7 | in_page
    second=$(frazil next max_lead=10s worker=fixed:7)
    [ "$second" -gt "$first" ]
    : >"$grant"
    fails 4 "has 0 bytes, it must have 8192" frazil next worker=fixed:7
    grep -qF "has 0 bytes, it must have 8192" "$page"
    frazil state init worker=fixed:7
    fails 4 "is of the layout" frazil next worker=fixed:7 layout=twitter
    grep -qF "$(grep -o "is of the layout '.*', here it is '[^']*'" <<<"$stderr")" "$page"
    frazil state worker=fixed:7
}

@test "the disk is full: who runs goes on, and is started again; a new number is refused" {
    FRAZIL_STATE_DIR=$BATS_TEST_TMPDIR/disk
    mkdir "$FRAZIL_STATE_DIR"
    mount -t tmpfs -o size=256k tmpfs "$FRAZIL_STATE_DIR" || skip "may not mount here"
    service worker=fixed:7 max_wait=30s
    run ! dd if=/dev/zero of="$FRAZIL_STATE_DIR/ballast" bs=1k status=none
    until=$(frazil state --json worker=fixed:7 | json until)
    while [ "$(frazil state --json worker=fixed:7 | json until)" = "$until" ]; do
        read -r first <&9 # its grant is extended
    done
    exec 9<&-
    wait "$service" || true
    [ "$(frazil next worker=fixed:7 max_wait=30s)" -gt "$first" ]
    run --separate-stderr frazil next worker=fixed:10
    umount "$FRAZIL_STATE_DIR"
    [ "$status" -eq 4 ]
    in_page <<<"$stderr"
}

@test "the disk of a folder is full: who runs goes on; a new worker id is refused, and the doctor says so" {
    mkdir "$BATS_TEST_TMPDIR/orders"
    mount -t tmpfs -o size=256k tmpfs "$BATS_TEST_TMPDIR/orders" || skip "may not mount here"
    frazil lease init --never-used horizon=3s worker="$folder"
    service worker="$folder" max_wait=30s
    run ! dd if=/dev/zero of="$BATS_TEST_TMPDIR/orders/ballast" bs=1k status=none
    # Beyond what it could have been granted before the disk was full, and an extension more.
    after=$(frazil range "$(date -u -d '+7 seconds' +%Y-%m-%dT%H:%M:%SZ)" "$(date -u -d '+7 seconds' +%Y-%m-%dT%H:%M:%SZ)" | tail -n 1)
    while [ "$first" -le "$after" ]; do
        read -r first <&9
    done
    exec 9<&-
    wait "$service" || true
    taken=$(frazil inspect "$first" --json | json worker)
    run --separate-stderr frazil next base=$((taken == 10 ? 11 : 10)) count=1 worker="$folder" max_wait=0s
    said=$stderr refused=$status
    run frazil doctor worker="$folder"
    found=$status
    left=$(ls "$BATS_TEST_TMPDIR/orders")
    umount "$BATS_TEST_TMPDIR/orders"
    echo "$said $left"
    [ "$refused" -eq 3 ]
    in_page <<<"$said"
    [ "$found" -eq 2 ]
    grep -F "coordinator: disk: " <<<"$output" | in_page
    [[ $left != *.new* ]]
}
