# SPDX-License-Identifier: MIT
# Goal of this test: next, asked by a signal to stop, writes whole lines, gives its worker id back and dies by that
# signal, whatever it waits for; a second signal ends it at once.
# shellcheck disable=SC2154 # bats sets stderr

load helpers
load servers

# begin ARGUMENT...: next in the background, with the signals as a terminal gives them; 9 reads what it prints.
begin() {
    rm -f ids
    mkfifo ids
    env --default-signal=INT,TERM,HUP "$FRAZIL" next "$@" >ids 2>errors 3>&- 8>&- &
    pid=$!
    exec 9<ids
}

# ends STATUS: it has, with that status.
ends() {
    local status=0
    wait "$pid" || status=$?
    echo "status $status, said: $(cat errors)"
    [ "$status" -eq "$1" ]
}

# catches SIGNAL-NUMBER: whether it has a handler for it now.
catches() {
    local mask
    mask=$(sed -n 's/^SigCgt:\s*//p' "/proc/$pid/status")
    ((0x$mask >> ($1 - 1) & 1))
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

held() {
    frazil lease list --json "$url" | json state
}

@test "by each signal, while it waits for its rate" {
    local signal
    serve redis
    url="redis://127.0.0.1:$port/orders?timeout=60s"
    frazil lease init --never-used "$url" >/dev/null
    for signal in INT TERM HUP; do
        begin --forever --rate 0.0003 base=7 count=1 "worker=$url"
        read -r _ <&9
        [ "$(held)" = held ]
        kill -$signal "$pid"
        ends $((128 + $(kill -l $signal)))
        [ ! -s errors ]
        [ "$(held)" = released ]
        exec 9<&-
    done
}

@test "while it waits for the next tick" {
    serve redis
    url="redis://127.0.0.1:$port/orders?timeout=60s"
    frazil lease init --never-used "layout='33/10/1 epoch=2026-01-01' tick=1000ms" horizon=60s "worker=$url" >/dev/null
    begin --forever "layout='33/10/1 epoch=2026-01-01' tick=1000ms" max_wait=1h max_lead=0 base=7 count=1 "worker=$url"
    read -r _ <&9
    kill -TERM "$pid"
    ends 143
    [ ! -s errors ]
    [ "$(held)" = released ]
}

@test "an hour before the next tick" {
    begin --forever "layout='20/10/1 epoch=2026-01-01' tick=1h" allow_short_life=yes max_wait=2h worker=fixed:1 state=memory
    read -r _ <&9
    kill -TERM "$pid"
    ends 143
    [ ! -s errors ]
}

# process_of PORT: the number of the server's process, from itself.
process_of() {
    local line
    exec 7<>"/dev/tcp/127.0.0.1/$1"
    printf 'INFO server\r\n' >&7
    while read -r line <&7; do
        case $line in
            process_id:*) line=${line#process_id:} && echo "${line%$'\r'}" && break ;;
        esac
    done
    exec 7>&-
}

# Opening tries again for as long as it may, while the coordinator does not answer.
@test "while it waits to open" {
    local server_pid
    serve redis
    server_pid=$(process_of "$port")
    kill -STOP "$server_pid"
    begin max_wait=10s "worker=redis://127.0.0.1:$port/orders?timeout=1s"
    until catches 15; do [ -d "/proc/$pid" ]; done
    kill -TERM "$pid"
    ends 143
    kill -CONT "$server_pid"
    [ ! -s errors ]
}

@test "while it waits to open for a guard that somebody has" {
    export FRAZIL_RUN_DIR=$BATS_TEST_TMPDIR/run FRAZIL_STATE_DIR=$BATS_TEST_TMPDIR/state FRAZIL_STATE=file
    frazil next worker=fixed:7 >/dev/null
    exec 8<"$(echo run/*/worker-7.word.lock)"
    flock 8
    begin worker=fixed:7 open_wait=1h
    until catches 15; do [ -d "/proc/$pid" ]; done
    kill -TERM "$pid"
    ends 143
    exec 8<&-
    [ ! -s errors ]
}

@test "at full speed: whole lines, and none twice" {
    begin --forever layout=41/0/22 worker=fixed:0 state=memory
    read -r _ <&9
    cat <&9 >rest 3>&- 8>&- &
    while [ "$(stat -c %s rest)" -lt 1000000 ]; do [ -d "/proc/$pid" ]; done
    kill -TERM "$pid"
    ends 143
    exec 9<&-
    wait $!
    [ -z "$(tail -c 1 rest)" ]
    frazil verify --layout 41/0/22 rest >/dev/null
}

@test "while its reader does not read: it says what was not written" {
    serve redis
    url="redis://127.0.0.1:$port/orders?timeout=60s"
    frazil lease init --never-used "$url" >/dev/null
    begin --forever base=7 count=1 "worker=$url"
    read -r _ <&9
    kill -TERM "$pid"
    ends 143
    grep -qx "frazil: standard output was closed: its last lines were not written" errors
    [ "$(held)" = released ]
}

@test "while the coordinator is silent: its timeout, or a second signal" {
    local server_pid
    serve redis
    url="redis://127.0.0.1:$port/orders"
    frazil lease init --never-used "$url" >/dev/null
    server_pid=$(process_of "$port")
    begin --forever --rate 0.0003 base=7 count=1 "worker=$url?timeout=1s"
    read -r _ <&9
    kill -STOP "$server_pid"
    kill -TERM "$pid"
    ends 143
    kill -CONT "$server_pid"
    exec 9<&-
    begin --forever --rate 0.0003 base=8 count=1 "worker=$url?timeout=60s"
    read -r _ <&9
    kill -STOP "$server_pid"
    kill -INT "$pid"
    while catches 2; do [ -d "/proc/$pid" ]; done
    SECONDS=0
    kill -TERM "$pid"
    ends 143
    [ "$SECONDS" -lt 30 ]
    kill -CONT "$server_pid"
}

@test "what is ignored stays ignored" {
    mkfifo ids
    (trap '' HUP && exec "$FRAZIL" next --forever --rate 0.0003 worker=fixed:1 state=memory >ids 2>errors 3>&-) &
    pid=$!
    exec 9<ids
    read -r _ <&9
    run ! catches 1
    kill -HUP "$pid"
    kill -TERM "$pid"
    ends 143
}

@test "a reader that goes away: the worker id is given back, quietly" {
    serve redis
    url="redis://127.0.0.1:$port/orders?timeout=60s"
    frazil lease init --never-used "$url" >/dev/null
    begin --forever base=7 count=1 "worker=$url"
    read -r _ <&9
    exec 9<&-
    ends 0
    [ ! -s errors ]
    [ "$(held)" = released ]
}
