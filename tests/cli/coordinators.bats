#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: the advice of docs/coordinators works over a real server of each kind.  A namespace is created, leased from,
# shown, freed and watched with the URLs of the manual, and each failure says what would be right.
# shellcheck disable=SC2154 # bats sets stderr

load helpers
load servers

# password_file: one with a password in it.
password_file() {
    (umask 077 && echo secret >"$BATS_TEST_TMPDIR/password")
    echo "$BATS_TEST_TMPDIR/password"
}

# life URL: a namespace and one worker id of it, from the beginning to the end.
life() {
    local id
    fails 2 "there is no namespace 'orders'" frazil next worker="$1"
    [ "$(frazil lease init --never-used "worker=$1 horizon=10m workers=64")" = created ]
    fails 2 "exists since" frazil lease init --never-used "$1"
    id=$(frazil next base=7 count=1 worker="$1")
    [ "$(frazil inspect --json "$id" | json worker)" = 7 ]
    frazil lease list "$1" | grep -qx 'horizon     600000 ms'
    [ "$(frazil lease list --json "$1" | json state)" = released ]
    mkfifo "$BATS_TEST_TMPDIR/ids"
    "$FRAZIL" next --forever --rate 50 base=7 count=1 worker="$1" >"$BATS_TEST_TMPDIR/ids" 3>&- 8>&- &
    exec 9<"$BATS_TEST_TMPDIR/ids"
    read -r _ <&9
    [ "$(frazil lease list --json "$1" | json state)" = held ]
    frazil lease watch --looks 1 "$1" | grep -q ' 7  taken  '
    [ "$(frazil lease release -w 7 "$1")" = "worker id 7 is free; the time granted so far stays used" ]
    fails 2 "is free already" frazil lease release -w 7 "$1"
    exec 9<&-
    wait $!
}

@test "redis" {
    serve redis
    life "redis://127.0.0.1:$port/orders?db=1&timeout=60s"
    fails 2 "WRONGPASS" frazil next "worker=redis://frazil:wrong@127.0.0.1:$port/orders"
    fails 3 "cannot be reached" frazil next "worker=redis://127.0.0.1:1/orders open_wait=1s"
    # Who waits at a terminal is told so; who reads a pipe gets the error alone.
    [[ $(script -qec '"$FRAZIL" next "worker=redis://127.0.0.1:1/orders open_wait=3s"' /dev/null </dev/null) == *"opening the generator: 2 s; open_wait= limits that"*"cannot be reached"* ]]
    [[ $(script -qec '"$FRAZIL" next -q "worker=redis://127.0.0.1:1/orders open_wait=3s"' /dev/null </dev/null) == "frazil: the coordinator"* ]]
    run --separate-stderr frazil next "worker=redis://127.0.0.1:1/orders open_wait=3s"
    [[ $stderr == "frazil: the coordinator"* ]]
    [ "$(frazil next "worker=sfid+redis://127.0.0.1:$port/shop layout=sfid" | wc -l)" -eq 1 ]
    run -0 frazil lease list "sfid+redis://127.0.0.1:$port/shop" # where nobody notes when it was created
    [[ $output == *"worker ids"* && $output != *created* ]]
    run -0 frazil lease list --json "sfid+redis://127.0.0.1:$port/shop"
    [[ $output == *'"workers"'* && $output != *created* ]]
    [ "$(frazil next -n 5 "worker=fixed:7 state=redis://127.0.0.1:$port/orders max_wait=5s" | sort -u | wc -l)" -eq 5 ]
    [ "$(frazil next -n 5 "behaviour=konayuki worker=fixed:7 state=konayuki+redis://127.0.0.1:$port max_wait=5s" | sort -u | wc -l)" -eq 5 ]
}

@test "etcd" {
    serve etcd
    life "etcd://127.0.0.1:1,127.0.0.1:$port/orders?timeout=60s"
    fails 3 "cannot connect" frazil next "worker=etcd://127.0.0.1:1/orders open_wait=1s"
}

@test "zookeeper" {
    serve zookeeper
    life "zookeeper://127.0.0.1:1,127.0.0.1:$port/orders?timeout=60s&user=frazil&password_file=$(password_file)"
    fails 2 "the permissions of '/frazil/orders'" frazil next "worker=zookeeper://127.0.0.1:$port/orders?timeout=60s"
    fails 3 "Connection refused" frazil next "worker=zookeeper://127.0.0.1:1/orders open_wait=1s"
    [ "$(frazil lease init --never-used "worker=zookeeper://127.0.0.1:$port/orders?path=/mine&timeout=60s")" = created ]
}

# The statement that a sentence says to run: all that stands behind "run: ", up to its last semicolon.
statement() {
    sed -n 's/.*run: \(.*;\).*/\1/p' <<<"$stderr"
}

@test "postgresql: as one who may create the table" {
    serve postgresql
    life "postgres://owner@127.0.0.1:1,127.0.0.1:$port/postgres/orders?timeout=60s"
    fails 3 "Connection refused" frazil next "worker=postgres://owner@127.0.0.1:1/postgres/orders open_wait=1s"
}

@test "postgresql: for one who may not, lease init prints what another one has to run" {
    serve postgresql
    local as_owner=(psql -X -q -h 127.0.0.1 -p "$port" -U owner postgres) user="postgres://frazil@127.0.0.1:$port/postgres/orders?timeout=60s"
    "${as_owner[@]}" -c 'DROP TABLE IF EXISTS frazil_lease' -c 'CREATE ROLE frazil LOGIN' -c 'REVOKE CREATE ON SCHEMA public FROM public'
    fails 2 "may not create its table" frazil lease init --never-used "$user"
    "${as_owner[@]}" -c "$(statement)"
    life "$user"
    "${as_owner[@]}" -c 'REVOKE ALL ON frazil_lease FROM frazil'
    fails 2 "permission denied for table frazil_lease" frazil next "worker=$user"
    "${as_owner[@]}" -c "$(statement)"
    frazil next "worker=$user"
}

@test "mysql: as one who may create the table" {
    serve mysql
    life "mysql://app@127.0.0.1:1,127.0.0.1:$port/app/orders?timeout=60s"
    fails 3 "Can't connect to server" frazil next "worker=mysql://app@127.0.0.1:1/app/orders open_wait=1s"
}

@test "mysql: for one who may not, lease init prints what another one has to run" {
    serve mysql
    local as_owner=(mariadb --no-defaults -h 127.0.0.1 -P "$port" -u owner app) user="mysql://frazil@127.0.0.1:$port/app/orders?timeout=60s"
    "${as_owner[@]}" -e "DROP TABLE IF EXISTS frazil_lease; CREATE USER frazil@'%'; GRANT DELETE ON app.* TO frazil@'%'"
    fails 2 "may not create its table" frazil lease init --never-used "$user"
    "${as_owner[@]}" -e "$(statement)"
    life "$user"
    "${as_owner[@]}" -e "REVOKE ALL ON frazil_lease FROM frazil@'%'"
    fails 2 "command denied to user" frazil next "worker=$user"
}

@test "a part of another build is refused, with both numbers and the way out; the part of this build serves" {
    serve redis
    local url="redis://127.0.0.1:$port/builds"
    frazil lease init --never-used "$url"
    LD_LIBRARY_PATH=$TEST_OTHER_BUILD fails 2 "libfrazil-redis is of another build of version" frazil next "worker=$url"
    [[ $stderr == *"its structures are "*", not "*": install both from one build" ]]
    LD_LIBRARY_PATH=$TEST_OTHER_BUILD frazil version >"$BATS_TEST_TMPDIR/version"
    grep -q "redis.*another build" "$BATS_TEST_TMPDIR/version"
    frazil next "worker=$url"
}

@test "lease init warns of settings that weaken what is granted" {
    serve redis
    run --separate-stderr frazil lease init --never-used "redis://127.0.0.1:$port/safe"
    [ "$status" -eq 0 ]
    [[ $stderr != *persistence* ]]
    exec 7<>"/dev/tcp/127.0.0.1/$port"
    printf 'CONFIG SET appendonly no\r\n' >&7
    read -r answer <&7
    [[ $answer == +OK* ]]
    run --separate-stderr frazil lease init --never-used "redis://127.0.0.1:$port/unsafe"
    [ "$status" -eq 0 ]
    [ "$output" = created ]
    [[ $stderr == *"frazil: warning: "*persistence* ]]
}

@test "what was meant for a closed standard output goes into no connection" {
    serve redis
    local url="redis://127.0.0.1:$port/orders" status=0
    frazil lease init --never-used "$url"
    # Nothing else is open that would get the lowest number.
    (exec "$FRAZIL" next "worker=$url" 0</dev/null >&- 2>"$BATS_TEST_TMPDIR/said") || status=$?
    cat "$BATS_TEST_TMPDIR/said"
    [ "$status" -eq 4 ]
    grep -q "cannot write to standard output" "$BATS_TEST_TMPDIR/said"
}
