# SPDX-License-Identifier: MIT
# Goal of this test: shard, scramble, unscramble, worker; their results are in vectors.bats.
# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; bats sets stderr
load helpers

@test "shard: the number of shards comes first" {
    [ "$(frazil shard 1 5 6)" = $'0\n0' ]
    fails 2 "number of shards first" frazil shard
    fails 2 "number of shards first" frazil shard 0 5
    fails 2 "number of shards first" frazil shard x 5
    fails 2 "number of shards first" frazil shard 4294967296 5
    fails 1 "position 1" frazil shard 16 05
}

@test "scramble: the salt is odd" {
    [ "$(frazil scramble --salt 0x499602d3 12345)" = "$(frazil scramble --salt 1234567891 12345)" ]
    fails 2 "--salt S, an odd number" frazil scramble 5
    fails 2 "an even one cannot be undone" frazil scramble --salt 4 5
    fails 2 "--salt takes a whole number" frazil scramble --salt x 5
    fails 1 "" frazil scramble --salt 3 18446744073709551616
}

# The salt's low 32 bits count, and nothing else.
@test "scramble: low 32 bits of the salt" {
    [ "$(frazil scramble --salt 5529535187 5)" = "$(frazil scramble --salt 1234567891 5)" ]
}

@test "unscramble: what is altered is refused" {
    fails 1 "check digit" frazil unscramble --salt 1234567891 --checksum hh1vdrvdpq502734rck
    fails 1 "check digit" frazil unscramble --salt 1234567891 --checksum hi1vdrvdpq502734rcj
    fails 1 "" frazil unscramble --salt 1234567891 --checksum 1vrvdq50734rcj
    fails 1 "" frazil unscramble --salt 1234567891 hh1vdrvdpq502734rcj
    fails 1 "position 2" frazil unscramble --salt 1234567891 1VRVDQ50734RCJ
    fails 1 "" frazil unscramble --salt 1234567891 zzzzzzz0000000
    fails 2 "--salt" frazil unscramble 1vrvdq50734rcj
}

@test "worker" {
    [ "$(frazil worker --hash app-240 --max 256)" = 103 ]
    [ "$(frazil worker --max 256 app-240 app-1175)" = $'103\n103' ]
    fails 2 "--max M" frazil worker --hash app-240
    fails 2 "--max M" frazil worker --hash app-240 --max 0
    fails 2 "--max takes a whole number from 0 to 4294967295" frazil worker --hash app-240 --max 4294967296
    fails 2 "not two of them" frazil worker --hash app-240 --max 256 app-1175
    fails 1 "empty" frazil worker --hash "" --max 256
}

# The post's table has these as 0.9, 4, 17, 35, 54 and 70 %.
@test "worker: how likely two of so many hosts get the same number" {
    local hosts chances=
    for hosts in 1 5 10 20 30 40 50; do
        chances+="$(frazil worker --max 1024 --expect $hosts), "
    done
    [ "$chances" = "0.0000 %, 0.9733 %, 4.3125 %, 17.0338 %, 34.8804 %, 53.7777 %, 70.3600 %, " ]
    [ "$(frazil worker -m 7 -e 8)" = "100.0000 %" ]
    fails 2 "--expect takes the number of hosts, from 1 to 65536, not 0" frazil worker --max 1024 --expect 0
    fails 2 "--expect takes a whole number from 0 to 65536" frazil worker --max 1024 --expect 65537
    fails 2 "not two of them" frazil worker --max 1024 --expect 5 app-1
    fails 2 "--max M" frazil worker --expect 5
}

@test "scramble --new-salt: odd, below 2^32, another one each time, and fit for use" {
    local salt
    salt=$(frazil scramble --new-salt)
    [ $((salt % 2)) -eq 1 ]
    [ "$salt" -lt 4294967296 ]
    [ "$(frazil scramble -n)" != "$salt" ] # alike once in 2^31 runs
    [ "$(frazil unscramble --salt "$salt" "$(frazil scramble --salt "$salt" 7123456789012345)")" = 7123456789012345 ]
    fails 2 "takes no other argument" frazil scramble --new-salt 5
    fails 2 "takes no other argument" frazil scramble --new-salt --salt 5
    fails 2 "new-salt" frazil unscramble --new-salt
}
