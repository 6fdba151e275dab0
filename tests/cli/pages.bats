#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: what the pages of docs/ show of a database or of JavaScript is what a real one does.  Their blocks that
# need one are marked with its name behind `console`; those of frazil alone are run by readme.bats.
# shellcheck disable=SC2154,SC2164 # bats sets them; a test ends where cd fails

load helpers
load servers
load transcripts

setup() {
    docs=$BATS_TEST_DIRNAME/../../docs
    cd "$BATS_TEST_TMPDIR"
    export FRAZIL_STATE=memory
}

# told MARK N [PREPARE]: the blocks of that mark print what stands in them, on each page in order and in a folder of its own,
# after PREPARE with the page's name; N commands at the least.
told() {
    local page name count=0
    for page in "$docs"/*.md "$docs"/*/*.md; do
        blocks "console $1" "$page" >shown
        [ -s shown ] || continue
        name=$(basename "$page" .md)
        mkdir "$name.here"
        ${3:-:} "$name"
        (cd "$name.here" && replay) <shown >printed
        diff shown printed
        count=$((count + $(grep -c '^\$ ' shown)))
    done
    echo "$count commands"
    [ "$count" -ge "$2" ]
}

# database PAGE: an empty one, which psql then uses.
database() {
    psql -qc "CREATE DATABASE \"$1\"" postgres
    export PGDATABASE=$1
}

postgresql() {
    serve postgresql
    export PGHOST=127.0.0.1 PGPORT=$port PGUSER=owner
}

@test "PostgreSQL" {
    postgresql
    told postgresql 25 database
}

@test "SQLite" {
    told sqlite 6
}

@test "Redis" {
    serve redis
    export REDIS=127.0.0.1:$port
    redis-cli() { command redis-cli -p "$port" "$@"; }
    told redis 10
}

# two_files PAGE: what a project has that takes frazil.c and the page's program.
two_files() {
    sh "$docs/../tools/amalgamate" "$1.here" >/dev/null
    blocks c "$docs/$1.md" >"$1.here/app.c"
}

@test "Two files in your project" {
    command -v nm >/dev/null
    told amalgamation 5 two_files
}

@test "JavaScript" {
    command -v node >/dev/null || skip "no node here"
    told node 4
}

@test "first_id of the pages is frazil_id_range" {
    postgresql
    database any
    local page time
    for page in databases migration; do
        eval "$(blocks 'console postgresql' "$docs/$page.md" | sed -n 's/CREATE FUNCTION/CREATE OR REPLACE FUNCTION/; s/^\$ \(.*FUNCTION first_id.*\)/\1/p')"
        for time in 2026-01-01T00:00:00Z 2026-02-28T23:59:59.999Z 2061-07-01T12:34:56.789Z 2095-09-07T15:47:35.551Z; do
            [ "$(psql -Atc "SELECT first_id('$time')")" = "$(frazil range "$time" "$time" | head -n 1)" ]
        done
        # Finer than a millisecond, a time still lies in the tick that it lies in.
        [ "$(psql -Atc "SELECT first_id('2026-05-01T00:00:00.999999Z')")" = "$(frazil range 2026-05-01T00:00:00.999Z 2026-05-01T00:00:00.999Z | head -n 1)" ]
    done
}
