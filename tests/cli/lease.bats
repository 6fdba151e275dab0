#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: frazil lease, over a coordinator in a folder, which every machine has.
# shellcheck disable=SC2154 # bats sets stderr

load helpers

setup() {
    url=file://$BATS_TEST_TMPDIR/orders
}

@test "init: once, with what the spec says" {
    [ "$(frazil lease init --never-used layout=twitter horizon=3s workers=5 worker="$url")" = created ]
    frazil lease list "$url" >"$BATS_TEST_TMPDIR/list"
    grep -qx 'layout      41/5+5/12 epoch=1288834974657 tick=1ms' "$BATS_TEST_TMPDIR/list"
    grep -qx 'horizon     3000 ms' "$BATS_TEST_TMPDIR/list"
    grep -qx 'max_skew    250 ms' "$BATS_TEST_TMPDIR/list"
    grep -qx 'worker ids  5, held now: 0' "$BATS_TEST_TMPDIR/list"
    [ "$(frazil lease list --json "$url" | json max_skew_ms)" = 250 ]
    fails 2 "exists since" frazil lease init --never-used "$url"
    [[ $stderr == *"open generators with its URL"* ]]
}

@test "init: count, which limits a generator, is not taken for a limit of the namespace" {
    run --separate-stderr frazil lease init --never-used worker="$url" count=2
    [ "$status" -eq 0 ]
    [ "$output" = created ]
    [[ $stderr == *"warning: count=2 limits a generator, and the namespace has all 1024"*"another one with workers=2" ]]
    # A region's share, or all of them.
    local more
    for more in "count=2 workers=5" "base=2 count=2" "count=1024" "layout=41/3+7/12 datacenter=0"; do
        run --separate-stderr frazil lease init --never-used "worker=$url-${more//[^a-z0-9]/} $more"
        [ "$output" = created ]
        [ "$stderr" = "" ]
    done
}

@test "init: unless it was never used, what may have been granted before comes first" {
    run frazil lease init horizon=1h max_skew=1s worker="$url"
    [ "$status" -eq 0 ]
    [[ $output == "created; the first id comes at "* ]]
    fails 3 "was created without --never-used: its first ids come at " frazil next worker="$url" open_wait=0s
    # A horizon before the end there is a grant that begins there.
    fails 3 "was created without --never-used, or its records may have been lost: its first ids come at " \
        frazil next worker="$url" max_wait=0s
    frazil lease list "$url" | grep -q '^quarantine  until '
}

@test "init: at the first tick of the layout nobody is told of a quarantine that there is none of" {
    local layout="layout='20/10/12 epoch=$(date +%s)000 tick=24h'"
    frazil lease init --never-used "$layout horizon=120h worker=$url" >/dev/null
    fails 3 "the first tick after the layout's epoch is never granted: the first ids come at " \
        frazil next "worker=$url $layout max_wait=100ms"
}

@test "init: what a lost namespace had is said, not guessed" {
    fails 2 "give its horizon= and max_skew=" frazil lease init "$url"
    fails 2 "give its horizon= and max_skew=" frazil lease init horizon=1h worker="$url"
    fails 2 "give its horizon= and max_skew=" frazil lease init max_skew=1s worker="$url"
    fails 2 "horizon='0s'" frazil lease init horizon=0s max_skew=1s worker="$url"
    fails 2 "horizon='0s'" frazil lease init --never-used horizon=0s worker="$url"
    fails 2 "there is no namespace" frazil lease list "$url"
}

@test "looking at a folder that is not there makes none" {
    fails 2 "there is no namespace 'orders': it is created by frazil lease init" frazil lease list "$url"
    fails 2 "there is no namespace 'orders'" frazil lease release --worker 0 "$url"
    run frazil doctor "$url"
    [[ $output == *"there is no namespace orders"* ]]
    [ ! -e "${url#file://}" ]
    fails 2 "there is no namespace 'orders'" frazil lease list "file://$BATS_TEST_TMPDIR/none/orders"
    fails 2 "absolute path" frazil lease list file://orders
}

@test "init: a horizon that is said too short holds ids back for a minute all the same" {
    before=$(date +%s)
    frazil lease init horizon=1s max_skew=0ms worker="$url"
    until=$(frazil lease list --json "$url" | json quarantine)
    [ "$(date -d "$until" +%s)" -ge $((before + 60)) ]
}

@test "a max_skew that differs from the namespace's is refused with both" {
    frazil lease init --never-used max_skew=3s worker="$url"
    fails 2 "was created with max_skew=3000ms, but this spec has 250ms" frazil next max_skew=250ms worker="$url"
    frazil next worker="$url"
    frazil next max_skew=3s worker="$url"
}

@test "list: who holds what until when" {
    frazil lease init --never-used worker="$url"
    id=$(frazil next base=7 count=1 worker="$url")
    [ "$(frazil inspect --json "$id" | json worker)" = 7 ]
    [ "$(frazil lease list --json "$url" | json state)" = released ]
    mkfifo "$BATS_TEST_TMPDIR/fifo"
    "$FRAZIL" next --forever --rate 50 base=7 count=1 worker="$url" >"$BATS_TEST_TMPDIR/fifo" 3>&- &
    exec 9<"$BATS_TEST_TMPDIR/fifo"
    read -r _ <&9
    [ "$(frazil lease list --json "$url" | json state)" = held ]
    [ "$(frazil lease list --json "$url" | json held)" = 1 ]
    frazil lease list "$url" | grep -q "^     7  held .*:$!\$"
    fails 3 "7 by " frazil next base=7 count=1 worker="$url"
    exec 9<&-
    wait
}

@test "release: frees one by hand" {
    frazil lease init --never-used worker="$url"
    fails 2 "--worker N" frazil lease release "$url"
    fails 2 "was never taken" frazil lease release -w 7 "$url"
    mkfifo "$BATS_TEST_TMPDIR/fifo"
    "$FRAZIL" next --forever --rate 50 base=7 count=1 worker="$url" >"$BATS_TEST_TMPDIR/fifo" 3>&- &
    exec 9<"$BATS_TEST_TMPDIR/fifo"
    read -r _ <&9
    [ "$(frazil lease release -w 7 "$url")" = "worker id 7 is free; the time granted so far stays used" ]
    [ "$(frazil lease list --json "$url" | json state)" = released ]
    fails 2 "is free already" frazil lease release -w 7 "$url"
    exec 9<&-
    wait
}

@test "watch: what is, and then what changes" {
    frazil lease init --never-used worker="$url"
    mkfifo "$BATS_TEST_TMPDIR/events"
    "$FRAZIL" lease watch --interval 20 "$url" >"$BATS_TEST_TMPDIR/events" 3>&- &
    exec 9<"$BATS_TEST_TMPDIR/events"
    frazil next base=7 count=1 worker="$url"
    read -r event <&9
    [[ $event == *"     7  "* ]]
    rm "$BATS_TEST_TMPDIR/orders/worker-7"
    while [[ $event != *vanished* ]]; do
        read -r event <&9
    done
    exec 9<&-
    kill $!
    [ "$(frazil lease watch --json --looks 2 --interval 1 "$url")" = "" ]
}

@test "what is wrong with it" {
    fails 2 "one of init, list" frazil lease
    fails 2 'not "frob"' frazil lease frob "$url"
    fails 2 "one of init, list" frazil lease "$url"
    fails 2 "a URL must be the only argument" frazil lease init "$url" horizon=3s
    fails 2 "no coordinator is named" frazil lease list worker=fixed:3
    fails 2 "no coordinator is called" frazil lease list gopher://orders
    fails 2 "called 'valkey': write redis://; there are" frazil lease list valkey://db1/orders
    fails 2 "database 0 is /NAME?db=0" frazil next worker=redis://db1/0
    fails 2 "database 3 is /NAME?db=3" frazil next worker=fixed:7 state=redis://db1/3
    fails 2 "there is no namespace" frazil lease list "$url"
    fails 2 "there is no namespace" frazil lease watch "$url"
    fails 2 "there is no namespace" frazil next worker="$url"
    fails 2 "horizon" frazil lease init horizon=1ms worker="$url"
    fails 2 "absolute path" frazil lease init --never-used file://orders
}

@test "layouts that do not agree are refused with both" {
    frazil lease init --never-used layout=twitter worker="$url"
    fails 2 "epoch=1288834974657" frazil next layout=frazil worker="$url"
    fails 2 "epoch=1767225600000" frazil next layout=frazil worker="$url"
}

@test "a password is in no message, wherever the URL stands" {
    local secret=s3cret arguments
    for arguments in "next redis://:$secret@host/x" "next worker=redis:/:$secret@host/x" "next worker=redis//:$secret@h/x" \
        "next worker=redis://joe:$secret/x" "next worker=redis://:$secret/x" "next state=redis:/:$secret@h/x" \
        "next config=redis://:$secret@h/x" "lease redis://:$secret@h/x" "lease list redis:/:$secret@h/x" \
        "lease list :$secret@redis://h/x" "lease init redis://:$secret@h/x horizon=3s"; do
        run --separate-stderr frazil $arguments
        [ "$status" -ne 0 ]
        [[ $stderr != *$secret* ]] || { echo "$arguments: $stderr"; false; }
        [[ $output != *$secret* ]]
    done
}
