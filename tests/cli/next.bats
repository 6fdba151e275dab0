# SPDX-License-Identifier: MIT
# Goal of this test: new ids.
# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; bats sets stderr
load helpers

# A worker number that nobody gave is not guessed.
@test "without a worker there is no id, and the sources are listed" {
    fails 2 "fixed:N" frazil next
    [[ $stderr == *env:NAME* && $stderr == *ordinal* ]]
}

@test "one id, unless told otherwise" {
    run frazil next worker=fixed:3
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 1 ]
    frazil inspect --json "$output" | grep -q '"worker":3,'
}

@test "the spec is one argument or several, or comes from the environment" {
    frazil next "layout=twitter worker=fixed:3" --json | grep -q '"layout":"twitter".*"worker":3,'
    frazil next layout=twitter worker=fixed:3 --json | grep -q '"layout":"twitter".*"worker":3,'
    frazil next "layout='twitter epoch=2020-01-01'" worker=fixed:3 --json | grep -q '"layout":"41/5+5/12 epoch=1577836800000 tick=1ms"'
    FRAZIL_WORKER=fixed:4 frazil next --json | grep -q '"worker":4,'
}

@test "the spec's errors are the command's" {
    fails 2 "colour" frazil next worker=fixed:1 colour=red
    fails 2 "0 to 1023" frazil next worker=fixed:1024
    fails 2 "nosuch" frazil next layout=nosuch worker=fixed:1
    fails 2 "" frazil next 10
    fails 2 "lies in the future" frazil next state=file "layout=41/10/12 epoch=2100-01-01"
    [[ $stderr != *"no worker id"* ]]
}

@test "-n ids, each greater than the one before" {
    run frazil next -n 100000 worker=fixed:0
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 100000 ]
    printf '%s\n' "${lines[@]}" | LC_ALL=C sort -c -u
}

# A small layout, so that batches end at ticks.
@test "-n ids from a layout that limits" {
    frazil next -n 300 layout=41/20/2 worker=fixed:5 >"$BATS_TEST_TMPDIR/ids"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/ids")" -eq 300 ]
    frazil verify --layout 41/20/2 "$BATS_TEST_TMPDIR/ids"
}

# Millions are fast because they are taken and written by many: the calls can be counted.
@test "two million ids" {
    frazil next -n 2000000 layout=41/0/22 worker=fixed:0 >"$BATS_TEST_TMPDIR/ids"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/ids")" -eq 2000000 ]
    frazil verify --layout 41/0/22 "$BATS_TEST_TMPDIR/ids"
}

@test "for ever, until the reader goes away: quietly" {
    run --separate-stderr bash -c 'set -o pipefail; "$FRAZIL" next --forever worker=fixed:0 | head -n 5000 | wc -l'
    [ "$status" -eq 0 ]
    [ "$output" -eq 5000 ]
    [ -z "$stderr" ]
    run --separate-stderr bash -c 'set -o pipefail; "$FRAZIL" next --forever --rate 1000 worker=fixed:0 | head -n 5 | wc -l'
    [ "$status" -eq 0 ]
    [ "$output" -eq 5 ]
    [ -z "$stderr" ]
}

@test "no ids, if none are asked for" {
    run --separate-stderr frazil next -n 0 worker=fixed:0
    [ "$status" -eq 0 ]
    [ -z "$output$stderr" ]
    [ -z "$(frazil next -n 0 --rate 5 worker=fixed:0)" ]
    [ -z "$(frazil next -n 0 --at 2026-05-01 worker=fixed:1 state=memory)" ]
    fails 2 "exclude each other" frazil next -n 0 --forever worker=fixed:0
}

@test "a full disk is an error" {
    fails 4 "cannot write to standard output" bash -c '"$FRAZIL" next worker=fixed:0 >/dev/full'
    fails 4 "cannot write to standard output" bash -c '"$FRAZIL" next --forever worker=fixed:0 >/dev/full'
    fails 4 "cannot write to standard output" bash -c '"$FRAZIL" next --forever --rate 100 worker=fixed:0 >/dev/full'
}

# Each id is there as soon as it is made: the first is read while the second is an hour away.
@test "--rate writes each id at once" {
    coproc SLOW { exec "$FRAZIL" next -n 2 --rate 0.0003 worker=fixed:0; }
    local id pid=$SLOW_PID
    read -r -t 10 id <&"${SLOW[0]}"
    [[ $id =~ ^[0-9]+$ ]]
    kill "$pid"
}

# 21 ids at 100 a second are 20 intervals of 10 ms: the last is not there before 200 ms, however late the first one is.
@test "--rate is a limit" {
    local before
    before=$(date +%s%3N)
    frazil next -n 21 --rate 100 worker=fixed:0 --json | json unix_ms >"$BATS_TEST_TMPDIR/times"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/times")" -eq 21 ]
    [ $(($(tail -n 1 "$BATS_TEST_TMPDIR/times") - before)) -ge 199 ]
}

@test "--rate takes a positive number" {
    local bad
    for bad in 0 -1 x 1e3 nan 0x10 "" 1.2.3 0.0000009 1000000001; do
        fails 2 "--rate takes ids a second, from 0.000001 to 1000000000," frazil next --rate="$bad" worker=fixed:0
    done
}

@test "--form: the same id in another form" {
    local spec="worker=fixed:7 clock=frozen:2026-06-01 start=zero"
    [ "$(frazil next "$spec")" = "$(frazil compose --time 2026-06-01 -w 7 -s 0)" ]
    [ "$(frazil next "$spec" --form crockford)" = "$(frazil compose --time 2026-06-01 -w 7 -s 0 --form crockford)" ]
    fails 2 "base58" frazil next --form nosuch worker=fixed:1
    fails 2 "form sno is for snos" frazil next --form sno worker=fixed:1
}

@test "--json: what inspect says" {
    run frazil next worker=fixed:7 "clock=frozen:2026-06-01T12:00:00.250Z" start=zero --json
    [ "$output" = "$(frazil compose --time 2026-06-01T12:00:00.250Z -w 7 -s 0 | frazil inspect --json)" ]
    [ "$output" = '{"id":"'"$(frazil compose --time 2026-06-01T12:00:00.250Z -w 7 -s 0)"'","layout":"frazil","time":"2026-06-01T12:00:00.250Z","unix_ms":1780315200250,"worker":7,"sequence":0}' ]
}

@test "snos: text, hex, JSON and the metabyte" {
    [[ $(frazil next layout=sno worker=fixed:1) =~ ^[2-9a-x]{16}$ ]]
    [[ $(frazil next layout=sno worker=fixed:1 --form hex) =~ ^[0-9a-f]{20}$ ]]
    frazil next layout=sno worker=fixed:1 --meta 200 --json | grep -q '^{"text":"[2-9a-x]\{16\}","hex":"[0-9a-f]\{20\}","uuid":"[0-9a-f-]\{36\}","time":".*","unix_ms":[0-9]*,"ticktock":0,"meta":200,"partition":[0-9]*,"partition_text":"[0-9A-Za-z,]*","sequence":[0-9]*}$'
    [ "$(frazil next layout=sno worker=fixed:1 -n 1000 | LC_ALL=C sort -u | wc -l)" -eq 1000 ]
    fails 2 "0 to 255" frazil next layout=sno worker=fixed:1 --meta 256
    fails 2 "--meta is for snos" frazil next worker=fixed:1 --meta 1
    fails 2 "80 bits" frazil next layout=sno worker=fixed:1 --form dec
}

# A failure that may pass has a status of its own.
@test "snos of a partition that is written as two bytes" {
    [ "$(frazil next --json layout=sno partition=A,10 | json partition)" = 16650 ]
    [ "$(FRAZIL_PARTITION=A,10 frazil next --json layout=sno | json partition)" = 16650 ]
    fails 2 "both given: leave one of them out" frazil next layout=sno partition=A,10 worker=fixed:3
    fails 2 "is for layout=sno: for other layouts write worker=fixed:N" frazil next partition=A,10
}

@test "a full tick is temporary: status 3" {
    run --separate-stderr frazil next -n 5 layout=41/20/2 worker=fixed:0 on_full=error start=zero clock=frozen:2026-06-01
    [ "$status" -eq 3 ]
    [ "${#lines[@]}" -le 4 ]
    [[ $stderr == "frazil: "* ]]
}

# The last tick works, the one after it is the end.
@test "the end of a layout is fatal: status 4" {
    local last=2095-09-07T15:47:35.551Z
    [ "$(frazil next worker=fixed:0 allow_short_life=yes start=zero clock=frozen:$last)" = "$(frazil compose --time $last -w 0 -s 0)" ]
    fails 4 "" frazil next worker=fixed:0 allow_short_life=yes clock=frozen:2095-09-07T15:47:35.552Z
}

@test "a variable with the prefix is a setting, or of those who are known to have others, or an error" {
    FRAZIL_WROKER=fixed:7 fails 2 "FRAZIL_WROKER is set in the environment, but is not a setting: did you mean FRAZIL_WORKER?" \
        frazil next worker=fixed:1 state=memory
    FRAZIL_WORKER_ID=3 fails 2 "did you mean FRAZIL_WORKER=fixed:3? Otherwise unset it" frazil next --quiet
    FRAZIL_NODE_ID=3 fails 2 "did you mean FRAZIL_WORKER=fixed:3?" frazil state
    FRAZIL_DATACENTER_ID=3 fails 2 "did you mean FRAZIL_DATACENTER=3?" frazil lease list "file://$BATS_TEST_TMPDIR/ns"
    FRAZIL_SHOP=x fails 2 "FRAZIL_SHOP is set in the environment, but is not a setting: unset it, or give it a name that does not begin with FRAZIL_" \
        frazil next worker=fixed:1 state=memory
    FRAZIL_PORT=tcp://10.0.0.1:6380 FRAZIL_STATE=memory run --separate-stderr frazil next worker=fixed:1
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    FRAZIL_NODE_ID=3 FRAZIL_STATE=memory run --separate-stderr frazil next worker=env:FRAZIL_NODE_ID
    [ "$status" -eq 0 ]
    FRAZIL_HORIZON=60s FRAZIL_HOSNAME=x FRAZIL_MACHINE_ID=7 run frazil doctor worker=fixed:1 state=memory
    [ "$status" -eq 2 ]
    [[ $output == *"horizon is given in the environment or the config file, and has no effect here"* ]]
    [[ $output == *"did you mean FRAZIL_HOSTNAME?"* ]]
    [[ $output == *"did you mean FRAZIL_WORKER=fixed:7?"* ]]
}

@test "an epoch in seconds is told with the first id of a worker, unless it is quiet" {
    local layout='layout=44/7/12 epoch=1565222400'
    export FRAZIL_STATE_DIR="$BATS_TEST_TMPDIR/state" FRAZIL_RUN_DIR="$BATS_TEST_TMPDIR/run"
    run --separate-stderr frazil next "$layout worker=fixed:1 state=file"
    [ "$status" -eq 0 ]
    [[ $stderr == "frazil: epoch: 1565222400 is 1970-01-19T02:47:02.400Z in milliseconds; if those were seconds, write 1565222400000" ]]
    run --separate-stderr frazil next "$layout worker=fixed:1 state=file"
    [ -z "$stderr" ]
    run --separate-stderr frazil next -q "$layout worker=fixed:2 state=memory"
    [ -z "$stderr" ]
    run --separate-stderr frazil next layout=flake worker=fixed:3 state=memory
    [ -z "$stderr" ]
}

@test "slips lead to what was meant" {
    fails 2 '"nxet" (did you mean next?)' frazil nxet
    fails 2 "write worker=fixed:7" frazil next --worker 7
    fails 2 "--cuont=7 (did you mean count?)" frazil next --cuont=7
    fails 2 "did you mean worker?" frazil next wroker=fixed:1
    fails 2 "did you mean worker=fixed:3?" frazil next worker_id=3
    fails 2 "did you mean worker=fixed:3?" frazil next node=3
    fails 2 "did you mean fixed:N?" frazil next worker=fixde:1
    fails 2 "did you mean twitter?" frazil next worker=fixed:1 layout=twiter
    fails 2 "did you mean wait?" frazil next worker=fixed:1 on_full=wiat
    fails 2 "(did you mean hex?)" frazil convert --to hxe 1
}

# For old records: the ids of one tick, whatever the clock shows.
@test "--at: ids of another time" {
    [ "$(frazil next --at 2020-01-01 -n 2 worker=fixed:1 layout=twitter state=memory)" = $'1212161512043450368\n1212161512043450369' ]
    [ "$(frazil next --at 2026-05-01 layout=sno worker=fixed:300 state=memory | frazil inspect --json | json unix_ms)" -eq 1777593600000 ]
    [ "$(frazil next --at now worker=fixed:1 state=memory)" -gt 0 ]
    [ "$(frazil next --at 2026-05-01 -n 4096 worker=fixed:1 state=memory | sort -u | wc -l)" -eq 4096 ]
    fails 2 "of which there are 4096" frazil next --at 2026-05-01 -n 4097 worker=fixed:1 state=memory
    fails 2 "of which there are 4096" frazil next --at 2026-05-01 --forever worker=fixed:1 state=memory
    fails 2 "outside the life" frazil next --at 2010-01-01 worker=fixed:1 state=memory
    fails 2 "exclude each other" frazil next --at 2026-05-01 -r 5 worker=fixed:1 state=memory
    fails 2 "--at: the time" frazil next --at never worker=fixed:1 state=memory
}
