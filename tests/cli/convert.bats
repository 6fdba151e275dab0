# SPDX-License-Identifier: MIT
# Goal of this test: the errors of convert; its results are in vectors.bats.
# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; bats sets stderr
load helpers

@test "--to is needed, forms are known" {
    fails 2 "convert needs --to FORM: one of dec" frazil convert 5
    fails 2 "--to takes one of dec" frazil convert --to roman 5
    fails 2 "--from takes one of dec" frazil convert --from roman --to dec 5
}

@test "hexadecimal with 0x and without padding, both ways" {
    [ "$(frazil convert --to hex0x 374461008837607426)" = 0x5325a4db6000002 ]
    [ "$(frazil convert --to hexshort 374461008837607426)" = 5325a4db6000002 ]
    [ "$(frazil convert --from hexshort --to dec 5325A4DB6000002)" = 374461008837607426 ]
    [ "$(frazil convert --from hex0x --to dec 0x0)" = 0 ]
    fails 1 "leading zero" frazil convert --from hex0x --to dec 0x05
    fails 1 "position 1" frazil convert --from hex0x --to dec 5
}

@test "signed numbers, both ways" {
    [ "$(frazil convert --to signed 18446744073709551615)" = -1 ]
    [ "$(frazil convert --to signed 9223372036854775807)" = 9223372036854775807 ]
    [ "$(frazil convert --from signed --to dec -- -9223372036854775808)" = 9223372036854775808 ]
    [ "$(frazil inspect --json --form signed --layout flake -- -1 | json id)" = 18446744073709551615 ]
    frazil verify --form signed --layout flake <<<-5 | grep -q '^ids  *1$'
    fails 1 "signed: the number at position 1 is below -2^63" frazil convert --from signed --to dec -- -9223372036854775809
    fails 1 "it has the form dec" frazil convert --from signed --to dec 9223372036854775808
}

@test "letters that look like digits in crockford" {
    [ "$(frazil convert --from crockford --to dec 00000000000iO)" = 32 ]
    fails 1 "position 16" frazil convert --from hex --to dec 000000000000000O
}

@test "a sno as UUID, both ways" {
    [ "$(frazil convert --to uuid a222222222222222)" = 40000000-0000-8000-8000-000000000000 ]
    [ "$(frazil convert --from uuid --to hex ffffffff-ffff-8fff-bfff-fc0000000000)" = ffffffffffffffffffff ]
    [ "$(frazil convert --to sno ffffffff-ffff-8fff-bfff-fc0000000000)" = xxxxxxxxxxxxxxxx ]
    fails 2 "not dec" frazil convert --from uuid --to dec ffffffff-ffff-8fff-bfff-fc0000000000
    fails 1 "lowest 42 bits" frazil convert --to sno ffffffff-ffff-8fff-bfff-fc0000000001
    fails 1 "variant 3" frazil convert --to sno ffffffff-ffff-8fff-ffff-fc0000000000
    fails 1 "position 9" frazil convert --from uuid --to sno ffffffffffff8fffbffffc0000000000xxxx
}

@test "sno goes with hex and uuid only" {
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
