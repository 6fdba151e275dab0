# SPDX-License-Identifier: MIT
# Goal of this test: the errors of convert; its results are in vectors.bats.
# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; bats sets stderr
load helpers

@test "--to is needed, forms are known" {
    fails 2 "convert needs --to FORM: one of dec" frazil convert 5
    fails 2 "--to takes one of dec" frazil convert --to roman 5
    fails 2 "--from takes one of dec" frazil convert --from roman --to dec 5
}

@test "sno goes with hex only" {
    [ "$(frazil convert --to sno 40000000000000000000)" = a222222222222222 ]
    [ "$(frazil convert --from sno --to bytes a222222222222222)" = 40000000000000000000 ]
    fails 2 "not dec" frazil convert --from sno --to dec a222222222222222
    fails 2 "not base58" frazil convert --from base58 --to sno a222222222222222
    fails 1 "20" frazil convert --from hex --to sno 4000
}

@test "decoders are strict and name the position" {
    fails 1 "position 3" frazil convert --from dec --to hex 12x
    fails 1 "position 1" frazil convert --from dec --to hex 012
    fails 1 "" frazil convert --from dec --to hex 18446744073709551616
    fails 1 "position 13" frazil convert --from crockford --to dec 000000000000U
    fails 1 "" frazil convert --from crockford --to dec GZZZZZZZZZZZZ
    fails 1 "position 2" frazil convert --from base36 --to dec aB
    fails 1 "position 1" frazil convert --from base58 --to dec 0
    fails 1 "" frazil convert --from base62 --to dec 5
    fails 1 "" frazil convert --from base64url --to dec AAAAAAAAAA
    fails 1 "" frazil convert --from hex --to dec ff
    fails 1 "" frazil convert --from bin --to dec 101
    fails 1 "position 2" frazil convert --from sno --to hex a122222222222222
}

@test "values that begin with a dash go after --" {
    [ "$(frazil convert --from base64url --to hex -- -AAAAAAAAAA)" = f800000000000000 ]
    fails 2 "after --" frazil convert --from base64url --to hex -AAAAAAAAAA
}
