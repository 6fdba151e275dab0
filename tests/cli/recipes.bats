#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: the manifests of contrib/ are well-formed, and what they tell frazil, in environment variables, in commands
# and by what containers share, is what docs/recipes.md says of them.
# shellcheck disable=SC2030,SC2031,SC2154 # each test has an environment of its own; bats sets them

load helpers
load servers

setup() {
    leave_out
    contrib=$BATS_TEST_DIRNAME/../../contrib
    unset FRAZIL_STATE
    cd "$BATS_TEST_TMPDIR" || return
    mkdir run state
}

# environment MANIFEST: its FRAZIL_ variables, NAME=VALUE, each once; directories and servers are the test's.
environment() {
    awk '$1 == "-" && $2 == "name:" { name = $3 } $1 == "value:" { print name "=" $2 } $1 ~ /^FRAZIL_/ { print $1 $2 }' "$contrib/$1" |
        sed "s/:=/=/; s/^\(FRAZIL_[A-Z_]*\):/\1=/; s/\"//g; s|/run/frazil|$PWD/run|; s|/var/lib/frazil|$PWD/state|
            s|redis\.default\.svc:6379|127.0.0.1:${port:-1}|; s|redis:6379|127.0.0.1:${port:-1}|; s|redis\.internal:6379|127.0.0.1:${port:-1}|
            s|/etc/frazil/|$PWD/|" | grep ^FRAZIL_ | sort -u
}

# worker_of COMMAND...: the worker number of the id that it prints.
worker_of() {
    "$@" | frazil inspect --json | json worker
}

@test "the manifests are well-formed" {
    command -v yamllint >/dev/null || skip "no yamllint here"
    yamllint --strict -d '{extends: default, rules: {line-length: disable, braces: {max-spaces-inside: 0}, document-start: disable}}' \
        "$contrib"/*/*.yaml
    yamllint -d '{rules: {key-duplicates: enable}}' "$contrib"/ecs/*.json # JSON is YAML
}

@test "StatefulSet: the pod's number, both directories, and an end of the numbers" {
    local settings
    mapfile -t settings < <(environment kubernetes/statefulset.yaml)
    [ "${#settings[@]}" -eq 6 ]
    chmod 777 run # as an emptyDir is
    [ "$(worker_of env "${settings[@]}" FRAZIL_HOSTNAME=orders-3 "$FRAZIL" next)" = 3 ]
    [ -e run/own/orders/worker-3.word ]
    [ -e state/orders/worker-3.grant ]
    [ "$(worker_of env "${settings[@]}" FRAZIL_HOSTNAME=orders-511 "$FRAZIL" next)" = 511 ]
    fails 2 "must be from 0 to 511" env "${settings[@]}" FRAZIL_HOSTNAME=orders-512 "$FRAZIL" next
    fails 2 "x2x4z" env "${settings[@]}" FRAZIL_HOSTNAME=orders-7d9f8b6c5-x2x4z "$FRAZIL" next
    grep -q 'fieldPath: metadata.name' "$contrib/kubernetes/statefulset.yaml"
}

# The image's configuration, with ports of this test.
@test "StatefulSet of frazild: the image's configuration takes the worker id from variables" {
    local settings daemon conf=$PWD/frazild.conf
    daemon=$(dirname "$(command -v "$FRAZIL")")/frazild
    [ -x "$daemon" ] || skip "no frazild here"
    mapfile -t settings < <(environment kubernetes/frazild.yaml)
    [ "${#settings[@]}" -eq 6 ]
    grep -q 'fieldPath: metadata.name' "$contrib/kubernetes/frazild.yaml"
    chmod 777 run
    sed 's/0\.0\.0\.0:[0-9]*/0.0.0.0:0/' "$contrib/container/frazild.conf" >"$conf"
    run "$daemon" -c "$conf" --check
    [[ $status -eq 1 && $output == *"no worker id is given"* ]]
    run env "${settings[@]}" FRAZIL_HOSTNAME=frazild-512 "$daemon" -c "$conf" --check
    [[ $status -eq 1 && $output == *"must be from 0 to 511"* ]]
    env "${settings[@]}" FRAZIL_HOSTNAME=frazild-1 "$daemon" -c "$conf" 2>said 3>&- &
    until grep -q 'is ready' said; do
        kill -0 $! || { cat said && false; }
        sleep 0.1
    done
    kill $!
    wait $! || true
    grep -q 'generator main: layout frazil, worker 513$' said
    [ -e state/orders/worker-513.grant ]
}

@test "StatefulSet: its doctor stops at failures and goes on at warnings" {
    local settings command
    mapfile -t settings < <(environment kubernetes/statefulset.yaml)
    command=$(sed -n 's/.*command: \["sh", "-c", "\(.*\)"\]/\1/p' "$contrib/kubernetes/statefulset.yaml")
    [[ $command == *doctor* ]]
    mkdir bin
    ln -s "$FRAZIL" bin/frazil
    # The machine at hand does not matter here: a failure more, and it stops.
    run env "${settings[@]}" FRAZIL_HOSTNAME=orders-3 PATH="$PWD/bin:$PATH" frazil doctor
    local failures
    failures=$(grep -c FAIL <<<"$output") || true
    run env "${settings[@]}" FRAZIL_HOSTNAME=orders-3 PATH="$PWD/bin:$PATH" sh -c "$command"
    if [ "$failures" -eq 0 ]; then
        [ "$status" -eq 0 ]
    else
        [ "$status" -ne 0 ]
    fi
    run env "${settings[@]}" FRAZIL_HOSTNAME=node-a PATH="$PWD/bin:$PATH" sh -c "$command"
    [ "$status" -ne 0 ]
    [[ $output == *"worker=ordinal gives 'a'"* ]]
}

@test "Deployment, Compose with hosts, ECS: a lease each" {
    serve redis
    local manifest settings
    (umask 077 && echo secret >password)
    redis-cli -p "$port" CONFIG SET requirepass secret
    mapfile -t settings < <(environment kubernetes/deployment.yaml)
    [ "${#settings[@]}" -eq 1 ]
    fails 2 "there is no namespace 'orders'" env "${settings[@]}" "$FRAZIL" next
    # shellcheck disable=SC2163 # what is in it
    export "${settings[@]}"
    frazil lease init --never-used "worker=$FRAZIL_WORKER"
    frazil next
    unset FRAZIL_WORKER
    redis-cli -p "$port" -a secret --no-auth-warning CONFIG SET requirepass ''
    for manifest in compose/compose.yaml ecs/task-definition.json; do
        local url
        url=$(grep -o 'redis://[^"]*' "$contrib/$manifest" | sed "s|//[^/]*|//127.0.0.1:$port|")
        frazil next worker="$url"
    done
    frazil lease list "redis://127.0.0.1:$port/orders" | grep -q ' held now: 0$'
}

@test "Compose on one host: containers with PID namespaces of their own see each other's locks" {
    local settings i
    mapfile -t settings < <(environment compose/compose.yaml | grep -v redis:)
    [ "${#settings[@]}" -eq 4 ]
    unshare --pid --fork --kill-child --uts true || skip "may not make namespaces here"
    for i in 1 2 3; do
        mkfifo "ids.$i"
        env "${settings[@]}" unshare --pid --fork --kill-child --uts "$FRAZIL" next --forever --rate 50 >"ids.$i" 2>"said.$i" 3>&- &
    done
    exec 4<ids.1 5<ids.2 6<ids.3
    for i in 4 5 6; do
        read -r id <&$i
        echo "$id"
    done >ids
    exec 4<&- 5<&- 6<&-
    wait
    [ "$(frazil inspect --json <ids | json worker | sort | tr '\n' ' ')" = "0 1 2 " ]
}

# The volumes as Docker makes them: the state's is root's, and the run directory's as the options of its mount say.
@test "Compose: the user of the containers may write into both volumes" {
    local file=$contrib/compose/compose.yaml settings user owner dir
    [ "$(id -u)" -eq 0 ] || skip "only root can be another user"
    dir=$(mktemp -d)
    chmod 755 "$dir"
    cd "$dir"
    user=$(sed -n 's/^ *user: "\([0-9]*\):.*/\1/p' "$file" | sort -u) # of each service
    install -d -m "$(sed -n 's/.*mode=\([0-7]*\).*/\1/p' "$file")" -o "$(sed -n 's/.*uid=\([0-9]*\).*/\1/p' "$file")" run
    install -d -m 755 state
    install -d -m 1777 host
    mapfile -t settings < <(environment compose/compose.yaml | grep -v redis:)
    owner=$(sed -n 's/^ *command: \(chown .*\)/\1/p' "$file")
    eval "${owner/\/var\/lib\/frazil/$dir/state}"
    cp "$(command -v "$FRAZIL")" frazil
    setpriv --reuid "$user" --regid "$user" --clear-groups env "${settings[@]}" FRAZIL_HOST_DIR="$dir/host" ./frazil next -q
    cd /
    rm -rf "$dir"
}

@test "a process that stood still for longer than its horizon goes on above its grant" {
    local keeper before after until last
    frazil lease init --never-used horizon=3s worker="file://$PWD/orders"
    for keeper in thread inline; do
        mkfifo "ids.$keeper"
        "$FRAZIL" next --forever --rate 50 keeper=$keeper max_wait=60s worker="file://$PWD/orders" >"ids.$keeper" 3>&- &
        exec 4<"ids.$keeper"
        read -r before <&4
        kill -STOP $!
        until frazil lease list "file://$PWD/orders" | grep -q abandoned; do
            sleep 0.1
        done
        until=$(frazil lease list --json "file://$PWD/orders" | grep abandoned | json until)
        last=$(frazil range "$until" "$until" | tail -n 1)
        kill -CONT $!
        after=$before
        while [ "$after" -le "$last" ]; do # what the pipe held comes first
            read -r after <&4
            [ "$after" -gt "$before" ]
            before=$after
        done
        exec 4<&-
        wait $! || true
    done
}

@test "the Python program: opened before the fork, all distinct" {
    command -v python3 >/dev/null || skip "no python3 here"
    if grep -q __asan_init "$FRAZIL"; then
        skip "the sanitizer wants no library before it"
    fi
    library=$(dirname "$FRAZIL")/../src
    [ -e "$library/libfrazil.so.1" ]
    cat >fork.py <<'P'
import os, sys
sys.path.insert(0, sys.argv[1])
from app import new_id

children = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        os.write(1, "".join(f"{new_id()}\n" for _ in range(100)).encode())
        sys.exit(0)
    children.append(child)
sys.exit(any(os.waitpid(child, 0)[1] for child in children))
P
    FRAZIL_RUN_DIR=$PWD/run FRAZIL_STATE_DIR=$PWD/state FRAZIL_WORKER=fixed:7 LD_LIBRARY_PATH=$library \
        PYTHONDONTWRITEBYTECODE=1 python3 fork.py "$contrib/python" >ids
    [ "$(sort -u ids | wc -l)" -eq 400 ]
    [ "$(frazil inspect --json <ids | json worker | sort -u)" = 7 ]
}
