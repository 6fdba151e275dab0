#!/bin/sh
# SPDX-License-Identifier: MIT
# coordinators.sh SCRATCH FRAZIL ROUNDS [redis|etcd|zookeeper|postgresql]...: measures how long it takes to open and close a
# generator with a worker id from each coordinator that is installed.  It prints a line each, "name TAB opening TAB q1 TAB q3 TAB closing TAB one
# read of it", in microseconds.  One that cannot be measured is a line "- TAB name TAB why not".
# A server of each is started for it, on a free port of the loopback interface, with its data in SCRATCH, and stopped.
set -eu

here=$(dirname "$(realpath "$0")")
scratch=$1
frazil=$2
rounds=$3
# shellcheck source=bench/others/servers.sh
. "$here/servers.sh"

without() {
    printf -- '-\t%s\t%s\n' "$1" "$2"
}

# Whether a namespace is available before the server ends, or a minute passes.
serves() {
    for _ in $(seq 300); do
        if "$frazil" lease init --never-used "$1" >"$scratch/init.log" 2>&1 || "$frazil" lease list "$1" >/dev/null 2>&1; then
            return
        fi
        server_runs || return 1
        sleep 0.2
    done
    return 1
}

# measure NAME URL
measure() {
    "$frazil" bench --quick --rounds "$rounds" --threads 1 --json "worker=$2" >"$scratch/bench.json"
    awk -f "$here/../page/rows.awk" "$scratch/bench.json" | awk -F '\t' -v name="$1" '
        $2 == "spec_open" { opening = $5 "\t" $6 "\t" $7 }
        $2 == "spec_close" { closing = $5 }
        $2 == "spec_round_trip" { printf "%s\t%s\t%s\t%s\n", name, opening, closing, $5; done = 1 }
        END { exit !done }'
}

# serve_and_measure NAME URL START...: START with a folder and a port; the URL has FOLDER and PORT for them.
serve_and_measure() {
    name=$1
    url=$2
    shift 2
    for try in 1 2 3 4 5; do
        port=$((12000 + ($$ + try * 1009) % 20000))
        folder=$scratch/$1-$try
        mkdir "$folder"
        "$1" "$folder" "$port"
        at=$(echo "$url" | sed "s|PORT|$port|; s|FOLDER|$folder|")
        if serves "$at"; then
            measure "$name" "$at"
            stop_server
            return
        fi
        stop_server
    done
    without "$name" "its server does not start, or frazil has no part for it"
}

redis_on() {
    start_redis "$1" --port "$2" --bind 127.0.0.1 --appendonly yes --appendfsync always
}

postgresql_on() {
    start_postgresql "$1" -p "$2" -c listen_addresses=127.0.0.1
}

# coordinator KIND
coordinator() {
    case $1 in
    redis)
        has redis-server || { without Redis "it is not installed" && return; }
        serve_and_measure "Redis, each write on the disk" redis://127.0.0.1:PORT/bench redis_on
        ;;
    etcd)
        has etcd || { without etcd "it is not installed" && return; }
        serve_and_measure etcd etcd://127.0.0.1:PORT/bench start_etcd
        ;;
    zookeeper)
        has_zookeeper || { without ZooKeeper "it is not installed" && return; }
        serve_and_measure ZooKeeper zookeeper://127.0.0.1:PORT/bench start_zookeeper
        ;;
    postgresql)
        [ -n "$(postgresql_programs)" ] || { without PostgreSQL "it is not installed" && return; }
        serve_and_measure PostgreSQL "postgres://owner@127.0.0.1:PORT/postgres/bench?sslmode=disable&password_file=FOLDER/password" postgresql_on
        ;;
    esac
}

trap stop_server EXIT
trap 'exit 1' HUP INT TERM
shift 3
if [ $# -eq 1 ]; then
    coordinator "$1"
    exit
fi
[ $# -gt 0 ] || set -- redis etcd zookeeper postgresql
for kind in "$@"; do
    # In a process of its own: it ends where something fails.
    sh "$0" "$scratch" "$frazil" "$rounds" "$kind" || without "$kind" "measuring it failed"
done
