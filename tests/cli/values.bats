# SPDX-License-Identifier: MIT
# Goal of this test: how values come in, and what is said about bad ones.
# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; bats sets stderr
load helpers

# Arguments and lines are read in the same way.
@test "what waits for a terminal says so, and nothing else does" {
    command -v script >/dev/null || skip "there is no script(1)"
    export FRAZIL
    [[ $(printf '5\n\004' | script -qec '"$FRAZIL" inspect' /dev/null) == *"reading from the terminal, one value per line; Ctrl-D ends it"* ]]
    run --separate-stderr frazil inspect <<<5
    [ -z "$stderr" ]
}

@test "arguments and lines give the same" {
    [ "$(frazil convert --to hex 1 2 3)" = "$(printf '1\n2\n3\n' | frazil convert --to hex)" ]
}

@test "the last line may lack its line end" {
    [ "$(printf '1\n2' | frazil convert --to base36)" = $'1\n2' ]
}

@test "no lines: nothing to do" {
    run frazil convert --to hex </dev/null
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

# A bad value does not lose the others.
@test "the good ones are done, the bad one is named, the status is 1" {
    run --separate-stderr frazil convert --from dec --to hex 1 x 3
    [ "$status" -eq 1 ]
    [ "$output" = $'0000000000000001\n0000000000000003' ]
    [[ $stderr == 'frazil: "x": '* ]]
}

@test "a bad line is named by its number" {
    run --separate-stderr bash -c 'printf "1\n2\nx\n4\n" | "$FRAZIL" convert --from dec --to hex'
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 3 ]
    [[ $stderr == 'frazil: standard input:3: "x": '* ]]
}

# Numbers as other programs make them of ids, each with the next step.
@test "numbers that are nearly ids" {
    fails 1 'signed number, of a BIGINT or a long: add 2^64, which makes 18446744073709551615, or use --form signed' \
        frazil inspect -- -1
    run --separate-stderr frazil verify <<<-9223372036854775808
    [[ $stderr == *"standard input:1: "*"add 2^64, which makes 9223372036854775808,"* ]]
    fails 1 "above 2^64 - 1, the largest id: it may be a UUID, a ULID or a sno as a number" frazil inspect 1832785790032599770841743360
    fails 1 "above 2^64 - 1" frazil shard 8 18446744073709551616
    fails 1 "is a double, which has lost the last digits" frazil inspect 1.19e+17
    fails 1 "is a double" frazil convert --from dec --to hex 1.19E17
    fails 1 "is a double" frazil inspect --guess 119525356527943741.0
    fails 1 "in quotes: remove them, with tr -d" frazil inspect '"119525356527943741"'
    fails 1 "in quotes: remove them, with tr -d \"'\"" frazil inspect "'119525356527943741'"
    fails 1 "a BigInt as JavaScript shows it: leave out the n" frazil convert --to hex 119525356527943741n
    fails 1 "a BigInt as JavaScript shows it: leave out the n" frazil inspect -- -5n
    fails 1 "begins with a byte order mark: cut that off with tail -c +4" frazil convert --to hex $'\xef\xbb\xbf119525356527943741'
}

@test "texts of UTF-16, and with spaces around them, are named" {
    printf '17\n18\n' | iconv -f UTF-8 -t UTF-16 >"$BATS_TEST_TMPDIR/ids"
    for words in inspect "convert --to hex" "verify --layout twitter"; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr frazil $words <"$BATS_TEST_TMPDIR/ids"
        [ "$status" -eq 1 ]
        [ "$(grep -c "it is UTF-16, as PowerShell's > writes it: convert it with iconv -f UTF-16 -t UTF-8" <<<"$stderr")" -ge 2 ]
    done
    [ "$(iconv -f UTF-16 -t UTF-8 "$BATS_TEST_TMPDIR/ids" | frazil convert --to dec)" = $'17\n18' ]
    fails 1 "spaces around it: remove them, with tr -d ' ' or psql -At" frazil convert --to hex <<<" 17"
    fails 1 "spaces around it: remove them" frazil inspect "17  "
    fails 1 "not an id in any known form" frazil inspect " "
}

# Others are what they were: an e or an n may stand in base 36.
@test "words that are no numbers" {
    fails 1 "it can be base36: say so" frazil inspect 15e17
    fails 1 "not an id in any known form" frazil inspect 1.2.3
    fails 1 "not an id in any known form" frazil inspect -- -x
    fails 1 "not an id in any known form" frazil inspect '"'
}

@test "an empty line is an error" {
    fails 1 "standard input:1: the line is empty" frazil convert --to hex <<<""
}

@test "a file of Windows is read: byte order mark, carriage returns" {
    [ "$(printf '\xef\xbb\xbf17\r\n255\r\n' | frazil convert --to hex)" = $'0000000000000011\n00000000000000ff' ]
    printf '\xef\xbb\xbf17\r\n18\r\n' >"$BATS_TEST_TMPDIR/ids"
    [ "$(frazil verify --layout twitter --json "$BATS_TEST_TMPDIR/ids" | json ids)" = 2 ]
    # A mark is one at the beginning alone, and one carriage return belongs to a line end.
    fails 1 'standard input:1: "\xef\xbb\xbf18"' frazil convert --to hex < <(printf '\xef\xbb\xbf\xef\xbb\xbf18\n')
    fails 1 'standard input:1: "17\x0d"' frazil convert --to hex < <(printf '17\r\r\n')
    fails 1 "standard input:1: the line is empty" frazil convert --to hex < <(printf '\r\n')
}

# 4096 bytes are a line, one more is too many; what follows is read all the same.
@test "a line has a greatest length" {
    head -c 4096 /dev/zero | tr '\0' a >"$BATS_TEST_TMPDIR/fits"
    [[ $(frazil worker --max 7 <"$BATS_TEST_TMPDIR/fits") =~ ^[0-6]$ ]]
    fails 1 "standard input:1: the line is longer than 4096 bytes" \
        frazil worker --max 7 < <(cat "$BATS_TEST_TMPDIR/fits"; echo a)
    # The line end comes in a read of its own.
    run frazil worker --max 7 < <(cat "$BATS_TEST_TMPDIR/fits"; sleep 0.3; echo)
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 1 ]
    run --separate-stderr frazil convert --to hex < <(head -c 3000000 /dev/zero | tr '\0' 1; printf '\n17\n')
    [ "$status" -eq 1 ]
    [ "$output" = 0000000000000011 ]
    [[ $stderr == *"standard input:1: "* ]]
}

# Input cannot send commands to the terminal.
@test "control characters are shown as \\xNN" {
    fails 1 '"\x1b[31m"' frazil convert --to hex $'\e[31m'
}

# A question in a line has its answer in a line, at once.
@test "answers come before the next question" {
    coproc ASK { "$FRAZIL" convert --to base36; }
    local answer
    echo 36 >&"${ASK[1]}"
    read -r -t 10 answer <&"${ASK[0]}"
    [ "$answer" = 10 ]
    echo 37 >&"${ASK[1]}"
    read -r -t 10 answer <&"${ASK[0]}"
    [ "$answer" = 11 ]
    eval "exec ${ASK[1]}>&-"
}

@test "a long line without an end" {
    fails 1 "standard input:1: the line is longer" frazil convert --to hex < <(head -c 3000000 /dev/zero)
}

@test "what cannot be read or written is status 4" {
    fails 4 "cannot read standard input: Is a directory" frazil convert --to hex </
    fails 4 "cannot write to standard output: No space left" bash -c '"$FRAZIL" layout >/dev/full'
}
