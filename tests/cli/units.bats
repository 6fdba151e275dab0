#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: the units of contrib/systemd are understood by systemd, and what they tell frazil is what it does.
# shellcheck disable=SC2154 # bats sets output

load helpers

units=$BATS_TEST_DIRNAME/../../contrib/systemd

@test "systemd-analyze verify has nothing to say" {
    command -v systemd-analyze >/dev/null || skip "no systemd here"
    local unit
    for unit in "$units"/*.service; do
        # The program that is named is the one at hand.
        sed "s|^ExecStart=[^ ]*|ExecStart=$FRAZIL|" "$unit" >"$BATS_TEST_TMPDIR/$(basename "$unit" @.service)@3.service"
    done
    # A socket names the service without its instance.
    cp "$units"/*.socket "$BATS_TEST_TMPDIR/"
    mv "$BATS_TEST_TMPDIR/frazild.service@3.service" "$BATS_TEST_TMPDIR/frazild.service"
    run systemd-analyze verify --man=no "$BATS_TEST_TMPDIR"/*@3.service "$BATS_TEST_TMPDIR"/frazild*
    echo "$output"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

# setting UNIT NAME: the value that the instance 3 is given.
setting() {
    sed -n "s/^$2=//p" "$units/$1" | sed 's/%i/3/g'
}

@test "the instance's name is the worker id, and the directories are those of systemd" {
    mkdir "$BATS_TEST_TMPDIR/run" "$BATS_TEST_TMPDIR/state"
    local environment
    read -r -a environment <<<"$(setting frazil-instance@.service Environment)"
    id=$(env -u FRAZIL_STATE "${environment[@]}" RUNTIME_DIRECTORY="$BATS_TEST_TMPDIR/run" \
        STATE_DIRECTORY="$BATS_TEST_TMPDIR/state" "$FRAZIL" next)
    [ "$(frazil inspect --json "$id" | json worker)" = 3 ]
    [ -n "$(find "$BATS_TEST_TMPDIR/run" -type f)" ]
    [ -n "$(find "$BATS_TEST_TMPDIR/state" -type f)" ]
}

@test "the password of a lease is a credential, and the URL names it" {
    local folder=$BATS_TEST_TMPDIR/credentials id worker
    ! frazil version | grep -q '^redis: not installed' || skip "the part for it is not built"
    id=$(setting frazil-lease@.service LoadCredential)
    worker=$(setting frazil-lease@.service Environment | sed "s|%d|$folder|; s|//db1/|//127.0.0.1:1/|")
    fails 4 "the password file of a URL cannot be read: '$folder/password'" env "$worker" "$FRAZIL" next
    mkdir "$folder"
    (umask 077 && echo s3cret >"$folder/${id%%:*}")
    fails 3 "Connection refused" env "$worker" FRAZIL_OPEN_WAIT=1s "$FRAZIL" next
}
