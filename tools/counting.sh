# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# For scripts to read in, which set log: while a command that prints into $log runs, a terminal shows that it goes on.

counter=

# Each second: how many have gone by, and the last words of the log.
count_seconds() {
    seconds=0
    while sleep 1 && kill -0 $$ 2>/dev/null; do
        seconds=$((seconds + 1))
        # shellcheck disable=SC2154 # whoever reads this in sets it
        # Without the colours that CMake gives to lines, which would count as characters of it.
        printf '\r%4d s  %-68.68s' $seconds "$(tail -n 1 "$log" | tr -d '\r' | sed "s/$(printf '\033')\[[0-9;]*m//g")"
    done
}

start_counting() {
    [ -t 1 ] || return 0
    count_seconds &
    counter=$!
}

stop_counting() {
    [ -n "$counter" ] || return 0
    kill "$counter"
    wait "$counter" 2>/dev/null || true
    counter=
    printf '\r%76s\r' ''
}

# aloud COMMAND...: what it prints is shown as it comes; on a terminal it is in $log, too, and a line counts beneath it.
aloud() {
    if [ ! -t 1 ]; then
        "$@"
        return
    fi
    echo 1 >"$log.status"
    start_counting
    { "$@" 2>&1 && echo 0 >"$log.status" || echo $? >"$log.status"; } | tee "$log" | while IFS= read -r line || [ -n "$line" ]; do
        printf '\r%76s\r%s\n' '' "$line"
    done
    stop_counting
    return "$(cat "$log.status")"
}
