#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: where a coordinator cannot be used, frazil doctor says why, whatever stands in its URL, and shows
# no password.
# shellcheck disable=SC2030,SC2031,SC2154 # bats sets output, in each test its own

load helpers
load servers
load reasons

setup() {
    begin_reasons
}

# a_web_server: sets web, the port of one that knows nothing of coordinators.
a_web_server() {
    mkfifo "$BATS_TEST_TMPDIR/web"
    python3 -c '
import http.server, sys
class Nothing(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Nothing)
print(server.server_address[1], flush=True)
server.serve_forever()' >"$BATS_TEST_TMPDIR/web" 3>&- &
    web_server=$!
    read -r web <"$BATS_TEST_TMPDIR/web"
}

no_web_server() {
    [ -z "${web_server:-}" ] || { kill "$web_server"; wait "$web_server" || true; }
    web_server=
}

teardown() {
    no_web_server
    serve_no_more
}

@test "nobody there: the connection is refused" {
    local url
    for url in redis://u:s3cret@127.0.0.1:1/orders redis://127.0.0.1:1/orders?db=3 etcd://u:s3cret@127.0.0.1:1/orders \
        zookeeper://127.0.0.1:1/orders postgresql://u:s3cret@127.0.0.1:1/db/orders mysql://u:s3cret@127.0.0.1:1/db/orders; do
        has "${url%%:*}" || continue
        says coordinator.silent "[Cc]onnection refused|Couldn't connect|\(111\)" "$url"
    done
}

@test "no such host" {
    local url
    for url in redis://:s3cret@nowhere.invalid/orders etcd://nowhere.invalid/orders zookeeper://nowhere.invalid/orders \
        postgresql://u:s3cret@nowhere.invalid/db/orders mysql://u:s3cret@nowhere.invalid/db/orders; do
        has "${url%%:*}" || continue
        says coordinator.silent "nowhere.invalid.*(resolve|not known|Unknown|[Nn]ame|host)" "$url"
    done
}

@test "no such socket" {
    local nowhere=$BATS_TEST_TMPDIR/none url
    for url in "redis+unix://$nowhere/orders" "postgresql://u:s3cret@/db/orders?host=$nowhere" "mysql://u:s3cret@/db/orders?socket=$nowhere"; do
        local part=${url%%:*}
        has "${part%+unix}" || continue
        says coordinator.silent "No such file or directory|through socket '$nowhere' \(2\)" "$url"
    done
}

# It is shown what it said, or that it said nothing of use in time.
@test "a web server" {
    command -v python3 >/dev/null || skip "no python3 here"
    a_web_server
    local part reason
    while read -r part reason; do
        has "$part" || continue
        case $part in
            redis | etcd) says coordinator.refused "$reason" "$part://u:s3cret@127.0.0.1:$web/orders" ;;
            zookeeper) says coordinator.silent "$reason" "$part://127.0.0.1:$web/orders" ;;
            *) says coordinator.silent "$reason" "$part://u:s3cret@127.0.0.1:$web/db/orders" ;;
        esac
    done <<-EOT
	redis      is not Redis, or speaks TLS
	etcd       is not etcd \(HTTP status 501\)
	zookeeper  127.0.0.1:$web: cannot connect
	postgresql cannot connect
	mysql      cannot connect
	EOT
    no_web_server
}

@test "Redis: the password, the policy, a replica" {
    has redis || skip "the part for Redis is not installed"
    serve redis
    local url=redis://127.0.0.1:$port/orders?db=3 secret=redis://:s3cret@127.0.0.1:$port/orders?db=3
    says coordinator.refused "called without any password|no password is set" "$secret"
    redis-cli -p "$port" config set maxmemory 100mb
    redis-cli -p "$port" config set maxmemory-policy allkeys-lru
    says coordinator.refused "evicts keys when its memory is full \(maxmemory-policy 'allkeys-lru'\)" "$url"
    redis-cli -p "$port" config set maxmemory-policy noeviction
    redis-cli -p "$port" replicaof 127.0.0.1 1
    says coordinator.refused "is a replica: worker ids need its master" "$url"
    redis-cli -p "$port" config set requirepass other
    says coordinator.refused "NOAUTH" "$url"
    says coordinator.refused "WRONGPASS|invalid password" "$secret"
}

# A script keeps it busy for minutes, or until it is killed.
@test "Redis: what passes by itself, and what has to be fixed" {
    has redis || skip "the part for Redis is not installed"
    serve redis
    local url=redis://127.0.0.1:$port/orders
    redis-cli -p "$port" config set lua-time-limit 1
    redis-cli -p "$port" eval "for i = 1, 2e10 do end" 0 3>&- 6<&- 8>&- &
    until redis-cli -p "$port" ping | grep -q BUSY; do :; done
    says coordinator.refused "cannot serve for a while: .*BUSY" "$url"
    redis-cli -p "$port" script kill
    redis-cli -p "$port" replicaof 127.0.0.1 1
    redis-cli -p "$port" config set replica-serve-stale-data no
    says coordinator.refused "cannot serve for a while: .*MASTERDOWN" "$url"
    redis-cli -p "$port" config set replica-serve-stale-data yes
    says coordinator.refused "cannot serve until that is fixed: .*is a replica: worker ids need its master" "$url"
}

@test "the Redis of state=: nobody there, the password, the policy, a replica" {
    has redis || skip "the part for Redis is not installed"
    says coordinator.silent "Connection refused" "worker=fixed:7 state=redis://u:s3cret@127.0.0.1:1/orders"
    says coordinator.silent "Connection refused" "worker=fixed:7 behaviour=konayuki state=konayuki+redis://127.0.0.1:1"
    serve redis
    local spec="worker=fixed:7 state=redis://127.0.0.1:$port/orders"
    run frazil doctor "$spec"
    [[ $output != *"[FAIL]"* && $output == *"coordinator: its clock is "* && $output == *"on any number of hosts, share one sequence"* ]]
    [ -z "$(redis-cli -p "$port" keys '*')" ] # nothing was taken
    says coordinator.refused "called without any password|no password is set" "worker=fixed:7 state=redis://:s3cret@127.0.0.1:$port/orders"
    redis-cli -p "$port" config set maxmemory-policy allkeys-lru
    says coordinator.eviction "maxmemory-policy 'allkeys-lru'" "$spec"
    says coordinator.eviction "maxmemory-policy 'allkeys-lru'" "worker=fixed:7 behaviour=konayuki state=konayuki+redis://127.0.0.1:$port"
    redis-cli -p "$port" config set maxmemory-policy noeviction
    redis-cli -p "$port" replicaof 127.0.0.1 1
    says coordinator.role "a replica: its master is needed" "$spec"
}

@test "PostgreSQL: the user, the database, the password, a right" {
    has postgresql || skip "the part for PostgreSQL is not installed"
    serve postgresql
    local end="?sslmode=disable&timeout=60s"
    says coordinator.refused 'role .*nobody.* does not exist' "postgresql://nobody:s3cret@127.0.0.1:$port/nosuch/orders$end"
    says coordinator.refused 'database .*nosuch.* does not exist' "postgresql://owner:s3cret@127.0.0.1:$port/nosuch/orders$end"
    sql() { psql -qX -h 127.0.0.1 -p "$port" -U owner -d postgres -c "$1"; }
    sql "CREATE ROLE guarded LOGIN PASSWORD 'another'"
    says coordinator.refused 'password authentication failed for user .*guarded' "postgresql://guarded:s3cret@127.0.0.1:$port/postgres/orders$end"
    says coordinator.refused 'no password supplied' "postgresql://guarded@127.0.0.1:$port/postgres/orders$end"
    sql "CREATE ROLE lonely LOGIN CONNECTION LIMIT 0"
    says coordinator.refused 'too many connections for role .*lonely' "postgresql://lonely@127.0.0.1:$port/postgres/orders$end"
}

@test "PostgreSQL: a standby, a database that may not be written" {
    has postgresql || skip "the part for PostgreSQL is not installed"
    serve postgresql
    local url="postgresql://owner@127.0.0.1:$port/postgres/orders?sslmode=disable&timeout=60s"
    frazil lease init --never-used "$url"
    sql() { psql -qAtX -h 127.0.0.1 -p "$port" -U owner -d postgres -c "$1"; }
    sql "ALTER DATABASE postgres SET default_transaction_read_only = on"
    says coordinator.role "role: default_transaction_read_only is set: worker ids need a user who may write" "$url"
    : >"$(sql "SHOW data_directory")/standby.signal"
    serve_again
    says coordinator.refused "is a standby: worker ids need the primary" "$url"
}

@test "MySQL: the user, the password, the database" {
    has mysql || skip "the part for MySQL is not installed"
    serve mysql
    local end="?ssl-mode=DISABLED&timeout=60s"
    says coordinator.refused "access denied" "mysql://nobody:s3cret@127.0.0.1:$port/test/orders$end"
    mysql --no-defaults -h 127.0.0.1 -P "$port" -u owner -e "CREATE USER joe IDENTIFIED BY 'another'"
    says coordinator.refused "access denied" "mysql://joe:s3cret@127.0.0.1:$port/app/orders$end"
    says coordinator.refused "[Uu]nknown database|no such database" "mysql://owner@127.0.0.1:$port/nosuch/orders$end"
    frazil lease init --never-used "mysql://app@127.0.0.1:$port/app/orders$end"
    mysql --no-defaults -h 127.0.0.1 -P "$port" -u owner -e "SET GLOBAL read_only = ON"
    says coordinator.refused "is read-only, as replicas are: worker ids need the primary" "mysql://app@127.0.0.1:$port/app/orders$end"
}

@test "etcd: the password, a right" {
    has etcd || skip "the part for etcd is not installed"
    command -v etcdctl >/dev/null || skip "no etcdctl here"
    serve etcd
    local command
    for command in "user add root:r00t" "user grant-role root root" "user add joe:another" "auth enable"; do
        # shellcheck disable=SC2086 # words
        ETCDCTL_API=3 etcdctl --endpoints "127.0.0.1:$port" $command
    done
    says coordinator.refused "invalid user ID or password|authentication failed" "etcd://joe:s3cret@127.0.0.1:$port/orders?timeout=60s"
    says coordinator.refused "user name is empty|permission denied" "etcd://127.0.0.1:$port/orders?timeout=60s"
    says coordinator.refused "permission denied" "etcd://joe:another@127.0.0.1:$port/orders?timeout=60s"
}

@test "a folder: it is not there, lies in a file, is a file" {
    local folder=$BATS_TEST_TMPDIR/registers
    says coordinator.no-namespace "there is no namespace orders" "file://$folder/none/orders"
    : >"$folder"
    says coordinator.absent "Not a directory.*: replace it with a directory, or name another folder" "file://$folder/orders"
    says coordinator.absent "Not a directory.*: replace it with a directory, or name another folder" "file://$folder"
}

# as_user COMMAND...: by a user whom permissions bind.  That is nobody where the tests run as root.
as_user() {
    [ "$(id -u)" -ne 0 ] || set -- setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
    "$@"
}

# tells SUBJECT ID REASON SPEC: as says, by such a user, of any subject.
tells() {
    run as_user "$FRAZIL" doctor "$4"
    echo "$output"
    grep -F "[FAIL] $1: " <<<"$output" | grep -qE -- "$3"
    run as_user "$FRAZIL" doctor --json "$4"
    grep -F "\"id\":\"$2\"" <<<"$output" | grep -qE -- "$3"
}

@test "a folder that may not be written: of the coordinator, of run_dir, of state_dir" {
    [ "$(id -u)" -ne 0 ] || as_user true || skip "no other user to be"
    local folder=$BATS_TEST_TMPDIR/closed
    chmod 755 "$BATS_TEST_TMPDIR"
    mkdir "$folder" "$folder/orders"
    chmod 555 "$folder/orders" "$folder"
    tells coordinator coordinator.absent "Permission denied" "file://$folder/orders"
    tells run run.unusable "Permission denied" "worker=fixed:1 run_dir=$folder/orders"
    tells state state.unusable "Permission denied" "worker=fixed:1 run_dir=$BATS_TEST_TMPDIR/run state_dir=$folder/orders"
    tells run run.unusable "Permission denied" "worker=fixed:1 run_dir=$folder/none"
    chmod 755 "$folder/orders" "$folder"
}
