#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: frazil state shows what is kept and what is wrong with it, and init is a way out of every
# FRAZIL_ESTATE that repeats no id and takes nothing away from a living process.
# shellcheck disable=SC2154 # bats sets stderr

load helpers

setup() {
    leave_out
    unset FRAZIL_STATE
    export FRAZIL_RUN_DIR="$BATS_TEST_TMPDIR/run" FRAZIL_STATE_DIR="$BATS_TEST_TMPDIR/state"
    export FRAZIL_NAMESPACE=orders
    word=$FRAZIL_RUN_DIR/orders/worker-7.word
    grant=$FRAZIL_STATE_DIR/orders/worker-7.grant
}

# makes_anew SPEC...: a start fails, show says why, init repairs it, and the next id is above the one given.
makes_anew() {
    local why=$1 before=$2 after
    shift 2
    fails 4 "$why" frazil next "$@"
    [[ $stderr == *"frazil state init"* || $why == *version* || $why == *"of the layout"* ]]
    run frazil state "$@"
    [ "$status" -eq 1 ]
    [[ $output == *"7  WRONG"* && $output == *"$why"* ]]
    run frazil state show --json "$@"
    [ "$status" -eq 1 ]
    [[ $output == *'"worker":7,"ok":false'* ]]
    [ "$(frazil state init "$@")" = "worker 7: recreated" ]
    frazil state "$@"
    after=$(frazil next max_lead=10s "$@")
    [ "$after" -gt "$before" ]
}

@test "nothing is kept yet, and looking makes nothing" {
    run frazil state
    [ "$status" -eq 0 ]
    [[ $output == *"nothing is kept here yet" ]]
    frazil state worker=fixed:7 | grep -Eq '^ +7  new '
    [ "$(frazil state init)" = "nothing is wrong, nothing was changed; state init --all also recreates intact files" ]
    [ ! -e "$FRAZIL_RUN_DIR" ]
    [ ! -e "$FRAZIL_STATE_DIR" ]
}

@test "who has it, from when until when" {
    mkfifo "$BATS_TEST_TMPDIR/fifo"
    "$FRAZIL" next --forever --rate 50 worker=fixed:7 >"$BATS_TEST_TMPDIR/fifo" 3>&- &
    exec 9<"$BATS_TEST_TMPDIR/fifo"
    read -r _ <&9
    frazil state | grep -Eq "^     7  in use  good    [0-9TZ:.-]{24}  [0-9TZ:.-]{24}  $!\$"
    [ "$(frazil state --json | json process)" = "$!" ]
    fails 2 "is in use: stop the processes that have it first" frazil state init --all worker=fixed:7
    cp "$grant" "$BATS_TEST_TMPDIR/copy"
    : >"$grant"
    fails 2 "is in use" frazil state init
    exec 9<&-
    wait
    frazil state init
    frazil state | grep -Eq "^     7  free "
}

@test "a damaged file, a truncated one, and one of another version" {
    id=$(frazil next worker=fixed:7)
    cp "$grant" "$BATS_TEST_TMPDIR/good"
    printf x | dd of="$grant" bs=1 seek=100 conv=notrunc status=none
    printf x | dd of="$grant" bs=1 seek=4196 conv=notrunc status=none
    makes_anew "is damaged" "$id" worker=fixed:7
    truncate -s 4096 "$grant"
    makes_anew "has 4096 bytes" "$id" worker=fixed:7
    printf 'GIF89a' >"$word"
    run frazil state worker=fixed:7
    [ "$status" -eq 1 ]
    [[ $output == *"header with a length"* ]]
    frazil state init worker=fixed:7
    [ ! -e "$word" ]
    frazil next max_lead=10s worker=fixed:7
}

@test "what another layout or another worker left" {
    frazil next worker=fixed:7 layout=twitter
    rm "$word"
    makes_anew "of the layout" 0 worker=fixed:7
    id=$(frazil next max_lead=10s worker=fixed:7)
    frazil next worker=fixed:8
    cp "${grant/worker-7/worker-8}" "$grant"
    rm "$word"
    fails 4 "is of worker 8" frazil next worker=fixed:7
    [ "$(frazil state init worker=fixed:7)" = "worker 7: recreated" ]
    [ "$(frazil next max_lead=10s worker=fixed:7)" -gt "$id" ]
}

@test "file-lock: all that are wrong, and no other" {
    frazil next
    frazil next worker=fixed:7
    frazil next worker=fixed:9
    : >"$grant"
    : >"${grant/worker-7/worker-9}"
    before=$(cksum "${grant/worker-7/worker-0}")
    [ "$(frazil state init --json | json worker | tr '\n' ' ')" = "7 9 " ]
    [ "$(cksum "${grant/worker-7/worker-0}")" = "$before" ]
    [ "$(frazil state --json base=7 count=1 worker=file-lock | json worker)" = 7 ]
}

@test "an old copy looks right: --all gives up what may have been made since" {
    frazil next worker=fixed:7
    cp "$grant" "$BATS_TEST_TMPDIR/copy"
    cp "$word" "$BATS_TEST_TMPDIR/word"
    id=$(frazil next -n 5000 worker=fixed:7 | tail -n 1)
    cp "$BATS_TEST_TMPDIR/copy" "$grant"
    mv "$word" "$word.away" # so that its inode is not given to the copy
    cp "$BATS_TEST_TMPDIR/word" "$word"
    frazil state worker=fixed:7 | grep -Eq '^     7  free    stale '
    [ "$(frazil state init worker=fixed:7)" != "worker 7: recreated" ]
    [ "$(frazil state init --all worker=fixed:7)" = "worker 7: recreated" ]
    until=$(frazil state --json worker=fixed:7 | json until)
    made=$(frazil inspect --json "$id" | json time)
    [[ $until > $made ]]
    [ "$(frazil next max_lead=10s worker=fixed:7)" -gt "$id" ]
}

@test "--all makes what is not there, so that a lost directory repeats no id" {
    [ "$(frazil state init --all worker=fixed:7)" = "worker 7: recreated" ]
    [ -s "$grant" ]
    fails 4 "state directory" frazil state init --all worker=fixed:7 state_dir=/proc/nowhere
    fails 2 "absolute path" frazil state run_dir=here
}

# shared: the spec of a lease that the processes of this host share, which one of them has taken and given back.
shares() {
    url=file://$BATS_TEST_TMPDIR/orders
    frazil lease init --never-used worker="$url"
    frazil next worker="$url" share=host
    shared=("$FRAZIL_RUN_DIR"/orders/lease-*.word)
    [ "${#shared[@]}" -eq 1 ]
}

@test "share=host: the word of the lease, and that it is in use" {
    shares
    [[ "$(frazil state worker="$url" share=host)" == *" lease  free    good    by the coordinator: see \`frazil lease list\`" ]]
    "$FRAZIL" next worker="$url" share=host --forever >/dev/null 3>&- &
    holder=$!
    until [ "$(frazil state --json worker="$url" share=host | json in_use)" = true ]; do sleep 0.05; done
    [ "$(frazil state --json worker="$url" share=host | json lease)" = true ]
    fails 2 "is in use" frazil state init --all worker="$url" share=host
    kill "$holder"
    wait "$holder" || true
    [ "$(frazil state init worker="$url" share=host)" != "" ] # nothing is wrong
    [ -e "${shared[0]}" ]
}

@test "share=host: a damaged word is no lease, until it is made anew" {
    shares
    truncate -s 100 "${shared[0]}"
    fails 4 "frazil state init" frazil next worker="$url" share=host
    run frazil state worker="$url" share=host
    [ "$status" -eq 1 ]
    [[ $output == *" lease  WRONG "* ]]
    [[ "$(frazil doctor worker="$url" share=host)" == *"the lease of this host's processes cannot be opened: "* ]]
    [[ "$(frazil state init worker="$url" share=host)" == *"processes that start now take another worker id" ]]
    frazil next worker="$url" share=host
}

@test "specs that keep nothing here" {
    fails 2 "only the claim in the host directory has the last tick" frazil state worker=fixed:7 state=memory
    fails 2 "lease list" frazil state worker=file:///tmp/orders
    fails 2 "state=URL" frazil state worker=fixed:7 state=redis://localhost/orders
    fails 2 "worker=auto" frazil state layout=sno worker=auto
    fails 2 "frozen clock" frazil state worker=fixed:7 clock=frozen:2026-05-01
    fails 2 "unknown" frazil state show nonsense=1
    fails 2 "--all is for" frazil state --all
}

# The run directory is empty after a boot: who comes first with the wrong spec must not be in the owner's way.
@test "a start that is refused leaves nothing behind" {
    first=$(frazil next worker=fixed:7)
    rm "$word"
    fails 4 "of the layout" frazil next worker=fixed:7 layout=twitter
    [ ! -e "$word" ]
    [ "$(frazil next max_lead=10s worker=fixed:7)" -gt "$first" ]
    # Nor is a word taken away that was there.
    fails 4 "the word file" frazil next worker=fixed:7 layout=twitter
    [ -e "$word" ]
}

@test "shards of a worker: each is shown with its bounds, and repaired by a spec that it stands in the way of" {
    local low="worker=fixed:7 seq_min=0 seq_max=999" high="worker=fixed:7 seq_min=1000 seq_max=1999"
    # shellcheck disable=SC2086 # several words each
    frazil next $low
    # shellcheck disable=SC2086
    frazil next $high
    run frazil state worker=fixed:7
    [ "$status" -eq 0 ]
    [[ $output == *"sequence numbers 0 to 999"*"sequence numbers 1000 to 1999"* ]]
    [ -e "$word.shards/0-999" ]
    : >"$grant.shards/0-999"
    # shellcheck disable=SC2086
    frazil next $high
    fails 4 "worker-7.grant.shards/0-999" frazil next worker=fixed:7
    run frazil state --json worker=fixed:7
    [ "$status" -eq 1 ]
    [[ $output == *'"worker":7,"ok":false,"sequence_min":0,"sequence_max":999'* ]]
    [ "$(frazil state init worker=fixed:7)" = "worker 7, sequence numbers 0 to 999: recreated" ]
    frazil next max_wait=10s max_lead=10s worker=fixed:7
}
