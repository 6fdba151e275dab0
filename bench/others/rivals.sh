#!/bin/sh
# SPDX-License-Identifier: MIT
# rivals.sh SCRATCH [libuuid|node_packages|redis|postgresql]...: measures the alternatives to frazil that are installed here: a line each, "name TAB median
# TAB q1 TAB q3 TAB rounds", in nanoseconds an id.  One that cannot be measured is a line "- TAB name TAB why not".
# Servers are started for it, reached through sockets in SCRATCH, and stopped.
set -eu

here=$(dirname "$(realpath "$0")")
scratch=$1
rounds=${TEST_BENCH_QUICK:+1} # a trial of tools/bench
rounds=${rounds:-7}
# shellcheck source=bench/others/servers.sh
. "$here/servers.sh"

# summary NAME: of numbers, one a line; fails if there is none.
summary() {
    sort -g | awk -v name="$1" '
        { value[NR] = $1 }
        function at(share) { return value[1 + int(share * (NR - 1) + 0.5)] }
        END {
            if (NR == 0) exit 1
            printf "%s\t%.2f\t%.2f\t%.2f\t%d\n", name, at(0.5), at(0.25), at(0.75), NR
        }'
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
    for _ in $(seq "$rounds"); do
        redis-benchmark -s "$scratch/redis.sock" -t incr -c 1 -P "$2" -n "$3" --csv |
            awk -F '"' '$2 == "INCR" { printf "%.2f\n", 1e9 / $4 }'
    done | summary "$1"
}

redis() {
    has redis-server redis-benchmark || { without Redis "it is not installed" && return; }
    mkdir "$scratch/redis"
    start_redis "$scratch/redis" --port 0 --unixsocket "$scratch/redis.sock" --appendonly no
    until redis-cli -s "$scratch/redis.sock" ping >/dev/null 2>&1; do
        server_runs || { without Redis "its server does not start" && return; }
    done
    redis_incr "Redis INCR, one at a time" 1 5000
    redis_incr "Redis INCR, 64 in a pipeline" 64 160000
    stop_server
}

# pgbench NAME SQL IDS: a statement that makes so many ids.
pgbench() {
    echo "$2" >"$scratch/statement.sql"
    for _ in $(seq "$rounds"); do
        "$bin/pgbench" -h "$scratch/postgres" -U owner -n -c 1 -M prepared -t 1000 -f "$scratch/statement.sql" \
            postgres 2>"$scratch/pgbench.log" | awk -v ids="$3" '/^tps = / { printf "%.2f\n", 1e9 / $3 / ids }'
    done | summary "$1"
}

# sql STATEMENT
sql() {
    "$bin/psql" -q -h "$scratch/postgres" -U owner -c "$1" postgres >/dev/null
}

postgresql() {
    bin=$(postgresql_programs)
    [ -n "$bin" ] || { without PostgreSQL "it is not installed" && return; }
    mkdir "$scratch/postgres"
    start_postgresql "$scratch/postgres" -c listen_addresses=
    until sql "SELECT 1" 2>/dev/null; do
        server_runs || { without PostgreSQL "its server does not start" && return; }
        sleep 0.1
    done
    sql 'CREATE SEQUENCE ids'
    pgbench "PostgreSQL nextval, one at a time" "SELECT nextval('ids')" 1
    pgbench "PostgreSQL nextval, 100 in a statement" "SELECT max(nextval('ids')) FROM generate_series(1, 100)" 100
    pgbench "PostgreSQL gen_random_uuid(), one at a time" "SELECT gen_random_uuid()" 1
    stop_server
}

shift
if [ $# -eq 1 ]; then
    "$1"
    exit
fi
[ $# -gt 0 ] || set -- libuuid node_packages redis postgresql
for rival in "$@"; do
    # In a process of its own: it ends where something fails.
    sh "$0" "$scratch" "$rival" || without "$rival" "measuring it failed"
done
