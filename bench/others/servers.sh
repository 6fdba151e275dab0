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
    kill -0 "$server" 2>/dev/null
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
    printf '%s\n' tickTime=2000 "dataDir=$1/data" "clientPort=$2" clientPortAddress=127.0.0.1 admin.enableServer=false \
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

# In a subshell: becomes a program, as postgres when we are root, whom its server does not serve.
exec_as_postgres() {
    if [ "$(id -u)" -eq 0 ]; then
        exec setpriv --reuid postgres --regid postgres --clear-groups "$@"
    else
        exec "$@"
    fi
}

# start_postgresql FOLDER ARGUMENT...: its owner is called owner.  Users who may enter the folder may log in as owner over the
# socket there; others would need the password in it.
start_postgresql() {
    folder=$1
    programs=$(postgresql_programs)
    shift
    chmod 700 "$folder"
    od -An -N16 -tx1 /dev/urandom | tr -d ' ' >"$folder/password"
    chmod 600 "$folder/password"
    [ "$(id -u)" -ne 0 ] || chown postgres "$folder" "$folder/password"
    (exec_as_postgres "$programs/initdb" -D "$folder/data" -U owner --pwfile="$folder/password" --auth-local=trust \
        --auth-host=scram-sha-256 >"$folder/log" 2>&1)
    exec_as_postgres "$programs/postgres" -D "$folder/data" -k "$folder" "$@" >>"$folder/log" 2>&1 &
    server=$!
}
