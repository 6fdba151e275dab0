#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: what docs/databases.md shows of a database or of JavaScript is what a real one does.  Its blocks that need
# one are marked with its name behind `console`; those of frazil alone are run by readme.bats.
# shellcheck disable=SC2154 # bats sets them

load helpers
load transcripts

setup() {
    page=$BATS_TEST_DIRNAME/../../docs/databases.md
    cd "$BATS_TEST_TMPDIR"
    export FRAZIL_STATE=memory
}

teardown() {
    exec 8>&-
    if [ -n "${server:-}" ]; then
        wait "$server"
    fi
}

# serve KIND: an empty server; sets port.
serve() {
    mkfifo in out
    "$FRAZIL_SERVE" "$1" <in >out 3>&- &
    server=$!
    exec 8>in
    read -r port <out
    if [[ $port == SKIPPED* ]]; then
        skip "$port"
    fi
    [ "$port" -gt 0 ]
}

# psql_to PORT: where psql finds the server.
psql_to() {
    export PGHOST=127.0.0.1 PGPORT=$1 PGUSER=owner PGDATABASE=postgres
}

@test "PostgreSQL: columns, parts of an id, ranges, partitions, snos" {
    serve postgresql
    psql_to "$port"
    told 'console postgresql' "$page" 21
}

@test "SQLite" {
    told 'console sqlite' "$page" 4
}

@test "Redis: scores lose digits, texts of fixed width do not" {
    serve redis
    eval "redis-cli() { command redis-cli -p $port \"\$@\"; }"
    told 'console redis' "$page" 5
}

@test "JavaScript's numbers" {
    command -v node >/dev/null || skip "no node here"
    told 'console node' "$page" 4
}

@test "first_id of the page is frazil_id_range" {
    serve postgresql
    psql_to "$port"
    local time
    eval "$(blocks 'console postgresql' "$page" | sed -n 's/^\$ \(.*CREATE FUNCTION first_id.*\)/\1/p')"
    for time in 2026-01-01T00:00:00Z 2026-02-28T23:59:59.999Z 2061-07-01T12:34:56.789Z 2095-09-07T15:47:35.551Z; do
        [ "$(psql -Atc "SELECT first_id('$time')")" = "$(frazil range "$time" "$time" | head -n 1)" ]
    done
    # Finer than a millisecond, a time still lies in the tick that it lies in.
    [ "$(psql -Atc "SELECT first_id('2026-05-01T00:00:00.999999Z')")" = "$(frazil range 2026-05-01T00:00:00.999Z 2026-05-01T00:00:00.999Z | head -n 1)" ]
}
