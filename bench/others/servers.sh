#!/bin/sh
# SPDX-License-Identifier: MIT
# servers.sh: for scripts that measure servers: starts them, each with data in a folder of its own, and stops them.  A start
# leaves the server's process in $server and returns before it answers; it may also end at once, as its port is taken.

umask 022 # the server of PostgreSQL does not run as root, and reads what root writes
server=

# stop_server: waits until it has ended.
stop_server() {
    [ -n "$server" ] || return 0
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    server=
}

server_runs() {
    [ -z "$server" ] || kill -0 "$server" 2>/dev/null
}

# has PROGRAM...
has() {
    for program in "$@"; do
        command -v "$program" >/dev/null || return 1
    done
}

# start_redis FOLDER ARGUMENT...
start_redis() {
    folder=$1
    shift
    redis-server --dir "$folder" --save '' "$@" >"$folder/log" 2>&1 &
    server=$!
}

# start_etcd FOLDER PORT
start_etcd() {
    etcd --data-dir "$1/data" --listen-client-urls "http://127.0.0.1:$2" --advertise-client-urls "http://127.0.0.1:$2" \
        --listen-peer-urls http://127.0.0.1:0 --initial-advertise-peer-urls http://127.0.0.1:2380 \
        --initial-cluster default=http://127.0.0.1:2380 >"$1/log" 2>&1 &
    server=$!
}

jars=/usr/share/java

has_zookeeper() {
    has java && [ -e $jars/zookeeper.jar ]
}

# start_zookeeper FOLDER PORT
start_zookeeper() {
    printf '%s\n' tickTime=2000 "dataDir=$1/data" "clientPort=$2" clientPortAddress=127.0.0.1 maxClientCnxns=0 \
        admin.enableServer=false \
        >"$1/zoo.cfg"
    java -cp "$jars/zookeeper.jar:$jars/zookeeper-jute.jar:$jars/slf4j-api.jar:$jars/slf4j-nop.jar:$jars/netty-all.jar:$jars/metrics-core.jar:$jars/snappy-java.jar" \
        org.apache.zookeeper.server.ZooKeeperServerMain "$1/zoo.cfg" >"$1/log" 2>&1 &
    server=$!
}

# The folder of PostgreSQL's programs, of the newest version; empty: it is not installed.
postgresql_programs() {
    for program in /usr/lib/postgresql/*/bin/pgbench $(command -v pgbench); do
        [ -x "$program" ] && [ -x "${program%/*}/initdb" ] && echo "${program%/*}"
    done | sort -V | tail -n 1
}

# exec_as USER PROGRAM...: in a subshell: becomes a program, as that user when we are root, whom its server does not serve.
exec_as() {
    user=$1
    shift
    if [ "$(id -u)" -eq 0 ]; then
        exec setpriv --reuid "$user" --regid "$user" --clear-groups "$@"
    else
        exec "$@"
    fi
}

# keep_for USER FOLDER: makes the folder that user's alone, with a file `password` in it that has a new one.
keep_for() {
    chmod 700 "$2"
    od -An -N16 -tx1 /dev/urandom | tr -d ' ' >"$2/password"
    chmod 600 "$2/password"
    [ "$(id -u)" -ne 0 ] || chown "$1" "$2" "$2/password"
}

# start_postgresql FOLDER ARGUMENT...: its owner is called owner.  Users who may enter the folder may log in as owner over the
# socket there; others would need the password in it.
start_postgresql() {
    folder=$1
    programs=$(postgresql_programs)
    shift
    keep_for postgres "$folder"
    (exec_as postgres "$programs/initdb" -D "$folder/data" -U owner --pwfile="$folder/password" --auth-local=trust \
        --auth-host=scram-sha-256 >"$folder/log" 2>&1)
    exec_as postgres "$programs/postgres" -D "$folder/data" -k "$folder" "$@" >>"$folder/log" 2>&1 &
    server=$!
}

mariadbd=/usr/sbin/mariadbd

# start_mysql FOLDER PORT: its owner is called owner, and logs in with the password in the folder.
start_mysql() {
    keep_for mysql "$1"
    printf '%s\n' 'CREATE DATABASE IF NOT EXISTS app;' \
        "GRANT ALL ON *.* TO owner@localhost IDENTIFIED BY '$(cat "$1/password")';" >"$1/init.sql"
    set -- "$1" "$2" --no-defaults --datadir="$1/data" --tmpdir="$1"
    (shift 2 && exec_as mysql mariadb-install-db "$@" --skip-test-db) >"$1/log" 2>&1
    (
        folder=$1
        port=$2
        shift 2
        exec_as mysql $mariadbd "$@" --bind-address=127.0.0.1 --port="$port" --socket="$folder/socket" --pid-file=pid \
            --init-file="$folder/init.sql" --max-connections=12000
    ) >>"$1/log" 2>&1 &
    server=$!
}

# without NAME WHY: the line of what cannot be measured.
without() {
    printf -- '-\t%s\t%s\n' "$1" "$2"
}

trap stop_server EXIT
trap 'exit 1' HUP INT TERM

# ---- coordinators: each kind's name, whether it is installed, its server, and the URL of a namespace in it -------------------

# kinds: a line each, "KIND TAB NAME TAB URL"; the URL has FOLDER and PORT for the server's.
kinds() {
    printf '%s\t%s\t%s\n' \
        redis "Redis, each write on the disk" redis://127.0.0.1:PORT/bench \
        etcd etcd etcd://127.0.0.1:PORT/bench \
        zookeeper ZooKeeper zookeeper://127.0.0.1:PORT/bench \
        postgresql PostgreSQL "postgres://owner@127.0.0.1:PORT/postgres/bench?sslmode=disable&password_file=FOLDER/password" \
        mysql MariaDB "mysql://owner@127.0.0.1:PORT/app/bench?ssl-mode=DISABLED&password_file=FOLDER/password" \
        file "files of one host" file://FOLDER/leases
}

# has_kind KIND
has_kind() {
    case $1 in
    redis) has redis-server ;;
    etcd) has etcd ;;
    zookeeper) has_zookeeper ;;
    postgresql) [ -n "$(postgresql_programs)" ] ;;
    mysql) has $mariadbd mariadb-install-db ;;
    file) ;;
    esac
}

# start_kind KIND FOLDER PORT: with room for as many connections as a server of this kind is asked to keep.
start_kind() {
    case $1 in
    redis) start_redis "$2" --port "$3" --bind 127.0.0.1 --appendonly yes --appendfsync always --maxclients 12000 ;;
    etcd) start_etcd "$2" "$3" ;;
    zookeeper) start_zookeeper "$2" "$3" ;;
    postgresql) start_postgresql "$2" -p "$3" -c listen_addresses=127.0.0.1 -c max_connections=600 ;;
    mysql) start_mysql "$2" "$3" ;;
    file) server= ;;
    esac
}

# serve_kind SCRATCH FRAZIL KIND URL KEYS: starts a server on a free port and creates the namespace with these keys; the namespace's
# URL is then in $url.
serve_kind() {
    for try in 1 2 3 4 5; do
        port=$((12000 + ($$ + try * 1009) % 20000))
        folder=$1/$3-$try
        mkdir "$folder" || return 1 # what is left of another run is no new server
        start_kind "$3" "$folder" "$port"
        url=$(echo "$4" | sed "s|PORT|$port|; s|FOLDER|$folder|")
        for _ in $(seq 300); do
            # shellcheck disable=SC2086 # a word for each key
            if "$2" lease init --never-used $5 "worker=$url" >"$1/init.log" 2>&1 || "$2" lease list "$url" >/dev/null 2>&1; then
                return
            fi
            server_runs || break
            sleep 0.2
        done
        stop_server
    done
    return 1
}

# measure_kind SCRATCH FRAZIL KIND KEYS MEASURE: calls MEASURE while a server of that kind runs; its name is in $name, and the URL in $url.
measure_kind() {
    name=$(kinds | awk -F '\t' -v kind="$3" '$1 == kind { print $2 }')
    has_kind "$3" || { without "${name%%,*}" "it is not installed" && return; }
    at=$(kinds | awk -F '\t' -v kind="$3" '$1 == kind { print $3 }')
    if serve_kind "$1" "$2" "$3" "$at" "$4"; then
        "$5"
        stop_server
    else
        without "$name" "its server does not start, or frazil has no part for it"
    fi
}
