# SPDX-License-Identifier: MIT
# Goal of this test: the first and the last id of a period.
# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; bats sets stderr
load helpers

@test "now is a time, and a date is its midnight in UTC" {
    local now
    now=$(date +%s%3N)
    [ "$(frazil range now now | tail -n 1)" -gt "$(frazil range "$now" "$now" | head -n 1)" ]
    [ "$(frazil range 2026-05-01 2026-05-01)" = "$(frazil range 2026-05-01T00:00:00Z 2026-05-01T00:00:00Z)" ]
    fails 1 "expected 'Z' or an offset such as +09:00" frazil range 2026-05-01T00:00:00 now
}

@test "both ends, included" {
    run frazil range --layout twitter 2022-06-28T16:07:40.105Z 2022-06-28T16:07:40.105Z
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "$(frazil compose -l twitter --time 2022-06-28T16:07:40.105Z -w 0 -s 0)" ]
    [ "${lines[1]}" = "$(frazil compose -l twitter --time 2022-06-28T16:07:40.105Z -w 1023 -s 4095)" ]
    [ "${#lines[@]}" -eq 2 ]
}

@test "times as RFC 3339, dates and Unix ms" {
    [ "$(frazil range 2026-02-01T00:00:00Z 2026-02-02T01:00:00+01:00)" = "$(frazil range 1769904000000 1769990400000)" ]
    [ "$(frazil range 2026-02-01 2026-02-02)" = "$(frazil range 1769904000000 1769990400000)" ]
    [ "$(frazil range -l '41/10/12 epoch=1960-01-01' -- -1000 0 | wc -l)" -eq 2 ]
}

@test "snos, forms and JSON" {
    [ "$(frazil range -l sno --form hex 2010-01-01 2010-01-01)" = $'00000000000000000000\n0000000001ffffffffff' ]
    [ "$(frazil range -l sno 2010-01-01 2010-01-01 | head -n 1)" = 2222222222222222 ]
    [ "$(frazil range -l sno --form hex 2010-01-01 2079-09-07T15:47:35.551Z)" = $'00000000000000000000\nffffffffffffffffffff' ]
    [ "$(frazil range --form hex 2026-01-01 2026-01-01)" = $'0000000000000000\n00000000003fffff' ]
    [ "$(frazil range --json 2026-01-01 2026-01-01)" = '{"layout":"frazil","from":"2026-01-01T00:00:00.000Z","to":"2026-01-01T00:00:00.000Z","first":"0","last":"4194303"}' ]
}

@test "errors" {
    fails 2 "two times" frazil range 2026-01-01
    fails 2 "two times" frazil range 2026-01-01 2026-01-02 2026-01-03
    fails 1 "FROM: " frazil range yesterday 2026-01-01
    fails 1 "TO: " frazil range 2026-01-01 2026-02-30
    fails 1 "after its end" frazil range 2026-01-02 2026-01-01
    fails 1 "2095-09-07T15:47:35.551Z" frazil range 2026-01-01 2096-01-01
    fails 2 "nosuch" frazil range -l nosuch 2026-01-01 2026-01-02
    fails 2 "80 bits" frazil range -l sno --form dec 2026-01-01 2026-01-02
}
