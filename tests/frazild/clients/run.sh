#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh FRAZILD WORK: clients of Redis as their registries have them, unmodified, against the daemon.  Each takes 110 ids:
# one by one, as a list, by INCR, in a pipeline, and in a transaction.  All ids of all clients must differ, and those of one
# client must rise.  They have a password alone, which is a user's token; hiredis, phpredis and the blocks say its name, too.  Then the programs of contrib/frazild/blocks fetch 2,500 each,
# and schemathesis asks all that /openapi.json describes, and much that it does not.  The clients lie in WORK, and stay there for the next run.  It is no part of make check.
# shellcheck disable=SC2317 # the table calls the functions that it names
set -eu

here=$(dirname "$(realpath "$0")")
blocks=$here/../../../contrib/frazild/blocks
frazild=$(realpath "$1")
mkdir -p "$2"
work=$(realpath "$2")
scratch=$(mktemp -d)
daemon=
trap '[ -z "$daemon" ] || kill $daemon; rm -rf "$scratch"' EXIT
token=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
maven=https://repo1.maven.org/maven2
# Colons stand between a group's folder, the name and the version.
jars='redis/clients:jedis:8.0.2 org/apache/commons:commons-pool2:2.13.1 org/slf4j:slf4j-api:2.0.17 org/json:json:20250517
    com/google/code/gson:gson:2.13.1 redis/clients/authentication:redis-authx-core:0.1.1-beta2
    io/lettuce:lettuce-core:7.7.0.RELEASE io/projectreactor:reactor-core:3.6.6 org/reactivestreams:reactive-streams:1.0.4
    io/netty:netty-common:4.2.13.Final io/netty:netty-handler:4.2.13.Final io/netty:netty-transport:4.2.13.Final
    io/netty:netty-buffer:4.2.13.Final io/netty:netty-codec-base:4.2.13.Final io/netty:netty-codec-dns:4.2.13.Final io/netty:netty-resolver:4.2.13.Final
    io/netty:netty-resolver-dns:4.2.13.Final io/netty:netty-transport-native-unix-common:4.2.13.Final'

# ---- the clients -------------------------------------------------------------------

python() {
    [ -d "$work/redis-py-$1" ] || python3 -m pip install --quiet --target "$work/redis-py-$1" "redis==$1"
    PYTHONPATH=$work/redis-py-$1 python3 -B "$here/client.py" "$port" "$token"
}

# node PROGRAM PACKAGE VERSION
node_client() {
    [ -d "$work/$2-$3/node_modules" ] ||
        { mkdir -p "$work/$2-$3" && npm install --silent --no-audit --no-fund --prefix "$work/$2-$3" "$2@$3"; }
    cp "$here/$1" "$work/$2-$3/"
    node "$work/$2-$3/$1" "$port" "$token"
}

hiredis() {
    "${CC:-cc}" -O1 -o "$work/hiredis" "$here/client.c" -lhiredis
    "$work/hiredis" "$port" "$token"
}

go_redis() {
    mkdir -p "$work/go-redis"
    cp "$here/go/main.go" "$work/go-redis/"
    (cd "$work/go-redis" && { [ -e go.mod ] || go mod init clients; } && go get "github.com/redis/go-redis/v9@$1" && go build -o client .) \
        >"$work/go-redis/log" 2>&1 || { cat "$work/go-redis/log" >&2 && return 1; }
    "$work/go-redis/client" "$port" "$token"
}

redis_rs() {
    mkdir -p "$work/redis-rs/src"
    cp "$here/rust/main.rs" "$work/redis-rs/src/"
    printf '[package]\nname = "client"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nredis = "=%s"\n' "$1" >"$work/redis-rs/Cargo.toml"
    (cd "$work/redis-rs" && cargo build --quiet --release) >&2
    "$work/redis-rs/target/release/client" "$port" "$token"
}

java_client() {
    mkdir -p "$work/java/jars" "$work/java/classes"
    for jar in $jars; do
        file=$(echo "$jar" | sed 's|.*:\(.*\):\(.*\)|\1-\2.jar|')
        [ -s "$work/java/jars/$file" ] ||
            curl -fsS -o "$work/java/jars/$file" "$maven/$(echo "$jar" | sed 's|:\(.*\):\(.*\)|/\1/\2|')/$file"
    done
    cmp -s "$here/java/Clients.java" "$work/java/classes/Clients.java" ||
        javac -cp "$work/java/jars/*" -d "$work/java/classes" "$here/java/Clients.java"
    cp "$here/java/Clients.java" "$work/java/classes/"
    java -cp "$work/java/jars/*:$work/java/classes" Clients "$1" "$port" "$token"
}

redis_cli() {
    for _ in $(seq 60); do echo "NEXT main"; done >"$scratch/commands"
    { cat "$scratch/commands" && echo "NEXT main 50"; } | redis-cli --no-auth-warning -u "redis://:$token@127.0.0.1:$port"
}

# By HTTP.
curl_client() {
    ids=http://127.0.0.1:$http_port/v1/generators/main/ids
    for _ in $(seq 60); do curl -fsS -H "Authorization: Bearer $token" -H 'Accept: text/plain' "$ids"; done
    curl -fsS -H "Authorization: Bearer $token" -H 'Accept: text/plain' "$ids?n=50"
}

phpredis() {
    php "$here/client.php" "$port" "$token"
}

# ---- the programs that fetch ids in blocks: they use the newest client of each language ---------------

block_py() {
    PYTHONPATH=$work/redis-py-8.1.0 python3 -B "$blocks/block.py"
}

# Parent and child of a fork that calls no hook of Python; their ids come in any order.
block_py_forked() {
    PYTHONPATH=$work/redis-py-8.1.0:$blocks python3 -B "$here/block_forked.py" | sort -n
}

block_js() {
    cp "$blocks/block.js" "$work/redis-6.3.1/"
    node "$work/redis-6.3.1/block.js"
}

block_php() {
    php "$blocks/block.php"
}

block_go() {
    mkdir -p "$work/go-redis/block"
    cp "$blocks/block.go" "$work/go-redis/block/"
    (cd "$work/go-redis" && go run ./block)
}

block_java() {
    java -cp "$work/java/jars/*" "$blocks/Block.java"
}

block_rs() {
    mkdir -p "$work/redis-rs/src/bin"
    cp "$blocks/block.rs" "$work/redis-rs/src/bin/"
    (cd "$work/redis-rs" && cargo run --quiet --release --bin block)
}

# Each client, its version, and the function that runs it.
clients() {
    cat <<END
curl|$(curl --version | sed -n '1s/^curl \([0-9.]*\).*/\1/p')|curl_client
redis-cli|$(redis-cli --version | cut -d ' ' -f 2)|redis_cli
hiredis|Debian's|hiredis
phpredis|$(php --ri redis | sed -n 's/^Redis Version => //p')|phpredis
redis-py|4.6.0|python 4.6.0
redis-py|8.1.0|python 8.1.0
ioredis|4.31.0|node_client ioredis.js ioredis 4.31.0
ioredis|5.11.1|node_client ioredis.js ioredis 5.11.1
ioredis|6.0.0|node_client ioredis.js ioredis 6.0.0
node-redis|4.7.1|node_client node-redis.js redis 4.7.1
node-redis|5.8.2|node_client node-redis.js redis 5.8.2
node-redis|6.3.1|node_client node-redis.js redis 6.3.1
go-redis|9.23.0|go_redis v9.23.0
redis-rs|1.8.1|redis_rs 1.8.1
jedis|8.0.2|java_client jedis
lettuce|7.7.0|java_client lettuce
blocks|Python|block_py
blocks|a fork|block_py_forked
blocks|Node|block_js
blocks|PHP|block_php
blocks|Go|block_go
blocks|Java|block_java
blocks|Rust|block_rs
END
}

# ---- the daemon ----------------------------------------------------------------------

(umask 077 && printf '%s' "$token" | sha256sum | cut -d ' ' -f 1 >"$scratch/shop")
cat >"$scratch/frazild.conf" <<END
[listen resp]
address=127.0.0.1:0
[listen http]
address=127.0.0.1:0
[generator main]
worker=fixed:1
state=memory
keys=orders:*
[user shop]
secret_file=$scratch/shop
allow=*:*
END
: >"$scratch/log"
"$frazild" -c "$scratch/frazild.conf" 2>"$scratch/log" &
daemon=$!
while kill -0 $daemon && ! grep -q 'is ready' "$scratch/log"; do sleep 0.1; done
port=$(sed -n 's/.*listening: resp .*:\([0-9]*\)$/\1/p' "$scratch/log")
http_port=$(sed -n 's/.*listening: http .*:\([0-9]*\)$/\1/p' "$scratch/log")
export FRAZILD_URL="redis://shop:$token@127.0.0.1:$port"

failed=0
printf '%-11s %-9s %s\n' client version 'ids'
clients >"$scratch/clients"
while IFS='|' read -r name version run; do
    expected=110
    [ "$name" != blocks ] || expected=2500
    # shellcheck disable=SC2086 # a command and its words
    if $run >"$scratch/ids" 2>"$scratch/errors" && [ "$(grep -cxE '[0-9]{15,20}' "$scratch/ids")" -eq $expected ] && sort -cnu "$scratch/ids"; then
        printf '%-11s %-9s %s\n' "$name" "$version" $expected
        cat "$scratch/ids" >>"$scratch/all"
    else
        printf '%-11s %-9s %s\n' "$name" "$version" FAILED
        tail -n 5 "$scratch/ids" "$scratch/errors"
        failed=1
    fi
done <"$scratch/clients"
# No schema can say which texts are layouts, so schemathesis must not take it for a fault that one is refused.
openapi() {
    [ -x "$work/schemathesis/bin/schemathesis" ] || { python3 -m venv "$work/schemathesis" && "$work/schemathesis/bin/pip" install --quiet schemathesis==4.32.5; }
    printf '[parameters]\ngenerator = "main"\n[headers]\nAuthorization = "Bearer %s"\n' "$token" >"$scratch/schemathesis.toml"
    (cd "$scratch" && "$work/schemathesis/bin/schemathesis" --config-file "$scratch/schemathesis.toml" run "http://127.0.0.1:$http_port/openapi.json" \
        --max-examples 100 --exclude-checks positive_data_acceptance --no-color)
}

if openapi >"$scratch/openapi" 2>&1; then
    printf '%-11s %-9s %s\n' schemathesis 4.32.5 "$(sed -n 's/^ *\([0-9]* generated, [0-9]* passed\).*/\1/p' "$scratch/openapi")"
else
    printf '%-11s %-9s %s\n' schemathesis 4.32.5 FAILED
    tail -n 60 "$scratch/openapi"
    failed=1
fi
[ "$(sort -u "$scratch/all" | wc -l)" -eq "$(wc -l <"$scratch/all")" ] || { echo "an id came twice" && failed=1; }
exit $failed
