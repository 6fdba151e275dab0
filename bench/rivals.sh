#!/bin/sh
# SPDX-License-Identifier: MIT
# rivals.sh SCRATCH [libuuid|node_packages|redis|postgresql]...: what users would take instead of frazil, as far as it can be had here: a line each, "name TAB median
# TAB q1 TAB q3 TAB rounds", in nanoseconds an id.  What cannot be measured is a line "- TAB name TAB why not".
# Servers are started for it, reached through sockets in SCRATCH, and stopped.
set -eu

here=$(dirname "$(realpath "$0")")
scratch=$1
rounds=7

without() {
    printf -- '-\t%s\t%s\n' "$1" "$2"
}

# summary NAME: of numbers, one a line.
summary() {
    sort -g | awk -v name="$1" '
        { value[NR] = $1 }
        function at(share) { return value[1 + int(share * (NR - 1) + 0.5)] }
        END { if (NR > 0) printf "%s\t%.2f\t%.2f\t%.2f\t%d\n", name, at(0.5), at(0.25), at(0.75), NR }'
}

libuuid() {
    if ! "${CC:-cc}" -std=c11 -D_POSIX_C_SOURCE=200809L -O2 -o "$scratch/rivals" "$here/rivals.c" -luuid 2>"$scratch/cc"; then
        without libuuid "its header is not installed"
        return
    fi
    "$scratch/rivals"
}

node_packages() {
    if ! command -v npm >/dev/null; then
        without "packages for Node.js" "npm is not installed"
        return
    fi
    if ! npm install --silent --no-audit --no-fund --prefix "$scratch/npm" flake-idgen @sapphire/snowflake \
        nodejs-snowflake >"$scratch/npm.log" 2>&1; then
        without "packages for Node.js" "npm could not fetch them"
        return
    fi
    NODE_PATH=$scratch/npm/node_modules node "$here/rivals.cjs"
}

# redis_incr NAME PIPELINE REQUESTS
redis_incr() {
    for _ in $(seq $rounds); do
        redis-benchmark -s "$scratch/redis.sock" -t incr -c 1 -P "$2" -n "$3" --csv |
            awk -F '"' '$2 == "INCR" { printf "%.2f\n", 1e9 / $4 }'
    done | summary "$1"
}

redis() {
    if ! command -v redis-server >/dev/null || ! command -v redis-benchmark >/dev/null; then
        without Redis "it is not installed"
        return
    fi
    redis-server --port 0 --unixsocket "$scratch/redis.sock" --save '' --appendonly no --dir "$scratch" \
        >"$scratch/redis.log" 2>&1 &
    server=$!
    until redis-cli -s "$scratch/redis.sock" ping >/dev/null 2>&1; do
        kill -0 $server || { without Redis "its server does not start" && return; }
    done
    redis_incr "Redis INCR, one at a time" 1 5000
    redis_incr "Redis INCR, 64 in a pipeline" 64 160000
    kill $server
    wait $server || true
}

# As postgres when we are root, whom its server does not serve.
as_postgres() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid postgres --regid postgres --clear-groups "$@"
    else
        "$@"
    fi
}

# pgbench NAME SQL IDS: a statement that makes so many ids.
pgbench() {
    echo "$2" >"$scratch/statement.sql"
    for _ in $(seq $rounds); do
        as_postgres "$bin/pgbench" -h "$scratch/postgres" -n -c 1 -M prepared -t 1000 -f "$scratch/statement.sql" \
            postgres 2>/dev/null | awk -v ids="$3" '/^tps = / { printf "%.2f\n", 1e9 / $3 / ids }'
    done | summary "$1"
}

postgresql() {
    bin=$(for program in /usr/lib/postgresql/*/bin/pgbench $(command -v pgbench); do
        [ -x "$program" ] && [ -x "${program%/*}/initdb" ] && echo "${program%/*}"
    done | sort -V | tail -n 1)
    if [ -z "$bin" ]; then
        without PostgreSQL "it is not installed"
        return
    fi
    mkdir "$scratch/postgres"
    [ "$(id -u)" -ne 0 ] || { chown postgres "$scratch/postgres" && chmod 755 "$scratch"; }
    if ! as_postgres "$bin/initdb" -D "$scratch/postgres/data" -A trust >"$scratch/initdb.log" 2>&1 ||
        ! as_postgres "$bin/pg_ctl" -D "$scratch/postgres/data" -w -l "$scratch/postgres/log" \
            -o "-c listen_addresses= -k $scratch/postgres" start >"$scratch/pg_ctl.log" 2>&1; then
        without PostgreSQL "its server does not start"
        return
    fi
    as_postgres "$bin/psql" -q -h "$scratch/postgres" -c 'CREATE SEQUENCE ids' postgres
    pgbench "PostgreSQL nextval, one at a time" "SELECT nextval('ids')" 1
    pgbench "PostgreSQL nextval, 100 in a statement" "SELECT max(nextval('ids')) FROM generate_series(1, 100)" 100
    pgbench "PostgreSQL gen_random_uuid(), one at a time" "SELECT gen_random_uuid()" 1
    as_postgres "$bin/pg_ctl" -D "$scratch/postgres/data" -m fast stop >/dev/null
}

shift
[ $# -gt 0 ] || set -- libuuid node_packages redis postgresql
for rival in "$@"; do
    (set -eu && $rival) || without "$rival" "measuring it failed"
done
