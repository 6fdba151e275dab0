#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: what share=host does with a run directory on a layer of a container, and with a copy of one.
# shellcheck disable=SC2016 # $ is for the shell inside
load helpers

setup() {
    leave_out
    unset FRAZIL_STATE
    unshare --user --map-root-user --mount true || skip "may not mount anything here"
    url=file://$BATS_TEST_TMPDIR/orders
    disk=$BATS_TEST_TMPDIR/disk
    mkdir "$disk"
    export url disk
    frazil lease init --never-used worker="$url"
}

# mounted COMMANDS: run by a shell that alone sees what they mount; $next is frazil next with the lease.
mounted() {
    next="$FRAZIL next -q worker=$url share=host" unshare --user --map-root-user --mount bash -euc "$1"
}

state_of_lease() {
    frazil lease list --json "$url" | json state
}

@test "the last one gives the lease back" {
    mounted 'mount -t tmpfs disk "$disk"; $next run_dir=$disk/run'
    [ "$(state_of_lease)" = released ]
}

# A program that has closed all its descriptors cannot be seen there.
@test "but not on an overlay" {
    mounted 'mount -t tmpfs disk "$disk"
        mkdir "$disk/lower" "$disk/upper" "$disk/work"
        mount -t overlay -o "lowerdir=$disk/lower,upperdir=$disk/upper,workdir=$disk/work" overlay "$disk"
        $next run_dir=$disk/run'
    [ "$(state_of_lease)" = held ]
}

# Both files have one number, so that only the device tells them apart.
@test "a copy on another device is the lease of another host" {
    mounted 'mkdir "$disk/a" "$disk/b"
        mount -t tmpfs a "$disk/a"
        mount -t tmpfs b "$disk/b"
        mkfifo "$disk/ids"
        $next --forever --rate 50 run_dir=$disk/a/run >"$disk/ids" &
        exec 9<"$disk/ids"
        read -r first <&9
        cp -a "$disk/a/run" "$disk/b"
        (cd "$disk/a" && find . -name "lease-*.word" -printf "%i\n") >"$disk/numbers"
        (cd "$disk/b" && find . -name "lease-*.word" -printf "%i\n") >>"$disk/numbers"
        second=$($next run_dir=$disk/b/run)
        printf "%s\n" "$first" "$second" >"$disk/both"
        exec 9<&-
        wait'
    [ "$(sort -u "$disk/numbers" | wc -l)" -eq 1 ]
    [ "$(frazil inspect --json <"$disk/both" | json worker | sort -u | wc -l)" -eq 2 ]
}
