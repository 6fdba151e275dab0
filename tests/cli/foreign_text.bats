# SPDX-License-Identifier: MIT
# Goal of this test: text of strangers (names of files, input, the environment) reaches neither a terminal as commands nor
# JSON as bytes that no parser takes.
# shellcheck disable=SC2154 # bats sets stderr
load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    unset FRAZIL_STATE # files are what this is about
}

# Names that real files have.  Some hold what a terminal obeys (C0, DEL, C1), a line end, or characters that cannot be seen or turn
# the direction of writing.  Some are no UTF-8 (a bare continuation, overlong, a surrogate, cut off), and some only JSON minds.
NAMES=($'\e[31mred' $'\e]0;title\a' $'del\x7f' $'c1\xc2\x9b31m' $'two\nlines' $'bidi\xe2\x80\xaetxt' $'\xef\xbb\xbfbom'
    $'bad\x80' $'over\xc0\xaf' $'half\xed\xa0\x80' $'cut\xe2\x82' $'beyond\xf5\x80\x80\x80' 'quote"' 'back\slash' 'tab	')
# And good ones, which stay as they are.
GOOD=(plain 'with space' $'caf\xc3\xa9' $'\xe6\x97\xa5\xe6\x9c\xac' $'\xf0\x9f\x98\x80')

# harmless: standard input is UTF-8 without anything that a terminal obeys but line ends.
harmless() {
    cat >text
    iconv -f UTF-8 -t UTF-8 text >/dev/null
    [ "$(LC_ALL=C grep -c $'[\x01-\x09\x0b-\x1f\x7f]' text)" -eq 0 ]
    [ "$(LC_ALL=C grep -c $'\xc2[\x80-\x9f]\|\xe2\x80[\x8b-\x8f\xa8-\xae]\|\xef\xbb\xbf' text)" -eq 0 ]
}

# is_json: each line of standard input is JSON, for a parser that was written by others.
is_json() {
    local line
    cat >text
    [ -s text ]
    iconv -f UTF-8 -t UTF-8 text >/dev/null
    while IFS= read -r line; do
        printf '%s' "$line" >line
        [ "$(sqlite3 :memory: "SELECT json_valid(CAST(readfile('line') AS TEXT))")" = 1 ] || return 1
    done <text
}

@test "names of files: harmless as text, valid as JSON" {
    local name id
    id=$(frazil compose --time 2026-02-02 -w 1 -s 0)
    for name in "${NAMES[@]}" "${GOOD[@]}"; do
        printf '%s\n%s\nno id\n' "$id" 0 >"$name"
        run --separate-stderr frazil verify "$name"
        [ "$status" -eq 1 ]
        printf '%s\n' "$output" | harmless
        printf '%s\n' "$stderr" | harmless
        [ "${#stderr_lines[@]}" -eq 1 ]
        run --separate-stderr frazil verify --json "$name"
        printf '%s\n' "$output" | is_json
        [[ $output != *$'\x7f'* ]]
        rm -- "$name"
    done
}

@test "good names stay as they are" {
    local name
    for name in "${GOOD[@]}"; do
        printf '2\n1\n' >"$name"
        run frazil verify "$name"
        [[ $output == *"  $name:2  "* ]]
        run frazil verify --json "$name"
        [[ $output == *"\"file\":\"$name\""* ]]
    done
}

@test "how it is shown" {
    local name=$'\e[2J\xc2\x9b\xe2\x80\xae\xff"\\'
    printf '2\n1\n' >"$name"
    run frazil verify "$name"
    [[ $output == *'  \x1b[2J\xc2\x9b\xe2\x80\xae\xff"\:2  '* ]]
    run frazil verify --json "$name"
    [[ $output == *'"file":"\u001b[2J\u009b\u202e\ufffd\"\\","line":2'* ]]
    fails 4 'cannot open \x1b[2J\xff: No such file' frazil verify $'\e[2J\xff'
}

@test "arguments, lines and the environment: one harmless line of error" {
    local bad=$'\e[2J\xff\xe2\x80\xae\n'
    fails 2 '\x1b[2J\xff\xe2\x80\xae\x0a' frazil "$bad"
    fails 2 '\x1b[2J' frazil inspect --form "$bad" 1
    fails 2 '\x1b[2J' frazil inspect --layout "$bad" 1
    fails 2 '\x1b[2J' frazil next "worker=$bad"
    fails 1 '\x1b[2J' frazil inspect "$bad"
    fails 1 '\x1b[2J' frazil convert --to hex <<<$'\e[2J\xff'
    FRAZIL_LAYOUT=$bad fails 2 '\x1b[2J' frazil inspect 1
    fails 4 '\x1b[2J' frazil opaque --key-file "$bad" 1 || fails 2 "not built" frazil opaque --key-file "$bad" 1
    # A value that is cut is cut between characters.
    run --separate-stderr frazil inspect "$(printf 'a%.0s' {1..79})"$'\xe2\x82\xac and more'
    [[ $stderr == *'a...": '* ]]
}

@test "directories in the reports of operators" {
    local dir=$'state\e[31m\xff'
    mkdir "$dir" run
    frazil next worker=fixed:3 "run_dir=$PWD/run" "state_dir=$PWD/$dir"
    run --separate-stderr frazil state worker=fixed:3 "run_dir=$PWD/run" "state_dir=$PWD/$dir"
    [ "$status" -eq 0 ]
    printf '%s\n' "$output" | harmless
    frazil state --json worker=fixed:3 "run_dir=$PWD/run" "state_dir=$PWD/$dir" | is_json
    run --separate-stderr frazil doctor worker=fixed:3 "run_dir=$PWD/run" "state_dir=$PWD/$dir"
    printf '%s\n' "$output" | harmless
    frazil doctor --json worker=fixed:3 "run_dir=$PWD/run" "state_dir=$PWD/$dir" >report || true
    is_json <report
}
