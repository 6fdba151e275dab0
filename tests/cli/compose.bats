# SPDX-License-Identifier: MIT
# Goal of this test: ids of given fields.
# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; bats sets stderr
load helpers

@test "by Unix ms and by RFC 3339" {
    [ "$(frazil compose --layout twitter --unix-ms 1656432460105 --worker 378 --sequence 0)" = 1541815603606036480 ]
    [ "$(frazil compose --layout twitter --time 2022-06-28T16:07:40.105Z -w 378 -s 0)" = 1541815603606036480 ]
    [ "$(frazil compose --layout twitter --time 2022-06-28T16:07:40.105Z --datacenter 11 -w 26 -s 0)" = 1541815603606036480 ]
    [ "$(frazil compose --layout twitter --time 2022-06-28T16:07:40.105Z -w 378 -s 0 --form hex)" = "$(frazil convert --to hex 1541815603606036480)" ]
}

@test "the partition of a sno as two bytes" {
    local same
    for same in 16650 0x410a A,10 "'A',10" "{'A', 10}"; do
        [ "$(frazil compose -l sno --time 2026-05-01 --partition "$same" -s 0)" = 9hwf9c22232im222 ]
    done
    fails 1 "is not a partition: write" frazil compose -l sno --time 2026-05-01 --partition A,300 -s 0
}

@test "snos" {
    [ "$(frazil compose --layout sno --unix-ms 1812059813888 --partition 0 --sequence 0)" = a222222222222222 ]
    [ "$(frazil compose --layout sno --unix-ms 3461327255548 --ticktock 1 --meta 255 --partition 65535 --sequence 65535 --form hex)" = ffffffffffffffffffff ]
}

# A worker is needed where there is one, and only there.
@test "what is missing is named" {
    fails 2 "--unix-ms or --time" frazil compose --worker 1 --sequence 1
    fails 2 "--unix-ms or --time" frazil compose --unix-ms 1 --time 2026-01-01 --worker 1 --sequence 1
    fails 2 "compose needs --worker" frazil compose --time 2026-02-01 --sequence 1
    fails 2 "compose needs --sequence" frazil compose --time 2026-02-01 --worker 1
    fails 2 "compose needs --partition" frazil compose --layout sno --time 2026-02-01 --sequence 1
    fails 2 "compose needs --unix-ms or --time (one of them), --worker, --sequence" frazil compose
    fails 2 "compose needs --unix-ms or --time (one of them), --partition, --sequence" frazil compose --layout sno
    fails 2 "compose needs --unix-ms or --time (one of them), --sequence" frazil compose --layout 41/0/22
    [ "$(frazil compose --layout 41/0/22 --time 2026-01-01 --sequence 9)" = 9 ]
}

@test "what the layout does not have is refused" {
    fails 2 "has no field for --datacenter" frazil compose --time 2026-02-01 --worker 1 --sequence 1 --datacenter 1
    fails 2 "has no field for --meta" frazil compose --time 2026-02-01 --worker 1 --sequence 1 --meta 1
    fails 2 "has no field for --worker" frazil compose --layout sno --time 2026-02-01 --partition 1 --sequence 1 --worker 1
    fails 2 'compose takes no arguments but options, such as --worker 7, not "5"' frazil compose --time 2026-02-01 --worker 1 --sequence 1 5
    fails 2 'such as --worker 7, not "worker=1"' frazil compose --time 2026-02-01 --sequence 1 worker=1
}

# Nothing is masked.
@test "what does not fit is an error" {
    fails 1 "0 to 1023" frazil compose --time 2026-02-01 --worker 1024 --sequence 1
    fails 1 "0 to 4095" frazil compose --time 2026-02-01 --worker 1 --sequence 4096
    fails 1 "0 to 1023" frazil compose --time 2026-02-01 --worker 4294967296 --sequence 1
    fails 1 "0 to 4095" frazil compose --time 2026-02-01 --worker 1 --sequence 4294967296
    fails 1 "0 to 31" frazil compose -l twitter --time 2026-02-01 --worker 1 --datacenter 32 --sequence 1
    fails 1 "0 to 31" frazil compose -l twitter --time 2026-02-01 --worker 32 --datacenter 1 --sequence 1
    fails 1 "2095-09-07T15:47:35.551Z" frazil compose --time 2095-09-07T15:47:35.552Z --worker 1 --sequence 1
    fails 1 "2026-01-01T00:00:00.000Z" frazil compose --time 2025-12-31T23:59:59.999Z --worker 1 --sequence 1
    fails 1 "0 to 1" frazil compose -l sno --time 2026-02-01 --partition 1 --sequence 1 --ticktock 2
    fails 1 "0 to 255" frazil compose -l sno --time 2026-02-01 --partition 1 --sequence 1 --meta 256
    fails 1 "0 to 65535" frazil compose -l sno --time 2026-02-01 --partition 65536 --sequence 1
    fails 1 "0 to 65535" frazil compose -l sno --time 2026-02-01 --partition 1 --sequence 65536
}

@test "what is no number or time is an error" {
    fails 2 "--worker takes a whole number" frazil compose --worker -1
    fails 2 "--unix-ms takes a whole number of Unix milliseconds" frazil compose --unix-ms 2026-01-01T00:00:00Z
    fails 2 "--time: " frazil compose --time yesterday
    fails 1 "80 bits" frazil compose -l sno --time 2026-02-01 --partition 1 --sequence 1 --form dec
}

@test "--tsv: tabs or single spaces, from a file or stdin" {
    printf '1656432460105\t378\t0\n1656432460105 378 1\n' >"$BATS_TEST_TMPDIR/tsv"
    [ "$(frazil compose -l twitter --tsv "$BATS_TEST_TMPDIR/tsv")" = $'1541815603606036480\n1541815603606036481' ]
    [ "$(frazil compose -l twitter --tsv <"$BATS_TEST_TMPDIR/tsv")" = $'1541815603606036480\n1541815603606036481' ]
}

@test "--tsv: bad lines" {
    fails 1 "standard input:1: \"1 2\": unix_ms worker sequence were expected" frazil compose --tsv <<<"1 2"
    fails 1 "unix_ms worker sequence were expected" frazil compose --tsv <<<"1 2 3 4"
    fails 1 "unix_ms worker sequence were expected" frazil compose --tsv <<<"1  2 3"
    fails 1 "unix_ms worker sequence were expected" frazil compose --tsv <<<"1767225600000  3"
    fails 1 "unix_ms ticktock meta partition sequence were expected" frazil compose -l sno --tsv <<<"1 2 3"
    fails 1 "0 to 1023" frazil compose --tsv <<<"1767225600000 1024 0"
    fails 1 "position 2" frazil compose --tsv <<<"1767225600000 1x 0"
    fails 1 "" frazil compose --tsv <<<"x 1 0"
    fails 4 "cannot open nosuch: No such file" frazil compose --tsv nosuch
    fails 2 "one FILE" frazil compose --tsv a b
}
