# SPDX-License-Identifier: MIT
# Real servers for tests of the command.
# shellcheck disable=SC2034 # tests use the port

# serve KIND: an empty server, until the test ends; sets port.  Openings have a minute for it: a busy machine's disk can hold a
# server up for longer than the ten seconds of the default.
serve() {
    export FRAZIL_OPEN_WAIT=1m
    mkfifo "$BATS_TEST_TMPDIR/in" "$BATS_TEST_TMPDIR/out"
    "$TEST_SERVE" "$1" <"$BATS_TEST_TMPDIR/in" >"$BATS_TEST_TMPDIR/out" 3>&- &
    server=$!
    exec 8>"$BATS_TEST_TMPDIR/in" 6<"$BATS_TEST_TMPDIR/out"
    read -r port <&6
    if [[ $port == SKIPPED* ]]; then
        skip "$port"
    fi
    [ "$port" -gt 0 ]
}

# serve_again: the server is killed, and begins again with what was durable.
serve_again() {
    echo again >&8
    read -r port <&6
    [ "$port" -gt 0 ]
}

# serve_no_more: the server ends.
serve_no_more() {
    exec 8>&- 6<&-
    if [ -n "${server:-}" ]; then
        wait "$server"
        server=
    fi
}

teardown() {
    serve_no_more
}
