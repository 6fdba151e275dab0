# SPDX-License-Identifier: MIT
# Goal of this test: help, version, usage errors, and that they agree with each other and with the completions.
# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; bats sets stderr
load helpers

commands() {
    frazil help | sed -n 's/^  \([a-z]*\) .*/\1/p' | grep -v '^help$'
}

# options COMMAND: the long options in its help.
options() {
    frazil help "$1" | sed -n 's/^  .*\(--[a-z-]*\).*/\1/p' | grep -v "^frazil" | sort -u
}

# actions COMMAND: the words that may stand first behind it.
actions() {
    frazil completion --words -- "$1" '' | while read -r word _; do
        case $word in :* | *=) ;; *) frazil help "$1" "$word" 2>/dev/null | grep -q "^usage: frazil $1 $word" && echo "$word" ;; esac
    done
}

# helps: a line for each help there is: of commands and of their actions.
helps() {
    local command
    for command in $(commands); do
        echo "$command"
        actions "$command" | sed "s/^/$command /"
    done
}

@test "help lists eighteen commands and fits a screen" {
    [ "$(commands | wc -l)" -eq 18 ]
    [ "$(frazil help)" = "$(frazil --help)" ]
    [ "$(frazil help)" = "$(frazil -h)" ]
    frazil help | awk 'length($0) > 80 || NR > 24 { exit 1 }'
    run --separate-stderr frazil
    [ "$status" -eq 2 ]
    [ "$output" = "$(frazil help)" ]
    [ -z "$stderr" ]
}

@test "the help of each command and of each action fits a screen, by either name" {
    local -a words
    while read -ra words; do
        [ "$(frazil help "${words[@]}")" = "$(frazil "${words[@]}" --help)" ]
        [ "$(frazil help "${words[@]}")" = "$(frazil "${words[@]}" -h)" ]
        [[ $(frazil help "${words[@]}") == "usage: frazil ${words[*]}"* ]]
        frazil help "${words[@]}" | awk 'length($0) > 80 || NR > 24 { print; exit 1 }'
    done < <(helps)
    [ "$(helps | grep -c '^lease ')" -eq 4 ]
    [ "$(helps | grep -c '^state ')" -ge 1 ]
    [ "$(helps | grep -c '^layout ')" -eq 2 ]
}

@test "help of the help is the list of commands" {
    [ "$(frazil help --help)" = "$(frazil help)" ]
    [ "$(frazil help -h)" = "$(frazil --help)" ]
    [ "$(frazil help help)" = "$(frazil help)" ]
}

@test "an action that is missing or misspelt" {
    fails 2 "lease needs one of init, list, release, watch" frazil lease
    fails 2 "lease needs one of init, list, release, watch" frazil lease redis://db1/orders
    fails 2 'lease takes one of init, list, release, watch, not "lst" (did you mean list?)' frazil lease lst
    fails 2 "lease list has no option --never-used" frazil lease list --never-used redis://db1/orders
    fails 2 "see frazil help lease init" frazil lease init --nosuch
    fails 2 "--all is for state init: write it after that" frazil state --all
    fails 2 "--since is for layout overlap" frazil layout --since 2026-01-01 overlap flake frazil
}

@test "usage errors: status 2, and where to look" {
    fails 2 'there is no command "nosuch"' frazil nosuch
    fails 2 'there is no command "nosuch"' frazil help nosuch
    fails 2 "next has no option --nosuch" frazil next --nosuch
    fails 2 "next has no option -z" frazil next -z
    fails 2 "--count needs a value: N" frazil next -n
    fails 2 "--count needs a value: N" frazil next --count
    fails 2 "takes no value" frazil next --json=yes
    fails 2 "takes no value" frazil next --help=yes
    fails 2 "--count takes a whole number" frazil next -n x
    fails 2 "--count takes a whole number" frazil next -n ''
}

@test "every option of every command has an error for what it does not take" {
    local command
    for command in $(commands); do
        fails 2 "$command has no option --nosuch" frazil "$command" --nosuch
    done
}

@test "version" {
    run frazil version
    [ "$status" -eq 0 ]
    [[ ${lines[0]} =~ ^frazil\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
    [[ ${lines[1]} =~ ^opaque\ ids:\ (built|not\ built)$ ]]
    [ "$(frazil --version)" = "$output" ]
    [ "$(frazil -V)" = "$output" ]
    grep -qx "file: none needed" <<<"$output"
    [[ $(frazil version --json) =~ ^\{\"version\":\"[0-9.]+\",\"opaque\":(true|false),\"coordinators\":\[\{.*\}\]\}$ ]]
    fails 2 "no arguments" frazil version 5
}

@test "version: the coordinators' parts that are there, and why one is not" {
    local part
    for part in $(sed -n 's/^ *X(\([a-z]*\), .*/\1/p' "$BATS_TEST_DIRNAME/../../src/config/coordinators.h"); do
        frazil version | grep -Eq "^$part: [^ ]"
        frazil version --json | grep -Eq "\{\"part\":\"$part\",\"installed\":(true,\"client\"|false,\"why\"):\"[^\"]+"
    done
    : >"$BATS_TEST_TMPDIR/libfrazil-file.so.1"
    LD_LIBRARY_PATH=$BATS_TEST_TMPDIR frazil version >"$BATS_TEST_TMPDIR/version"
    # Each libc has its own words for an empty file.
    grep -Eq "^file: not installed \(.*libfrazil-file.so.1: (file too short|Exec format error)\)$" "$BATS_TEST_TMPDIR/version"
    LD_LIBRARY_PATH=$BATS_TEST_TMPDIR frazil version --json >"$BATS_TEST_TMPDIR/version"
    grep -q '{"part":"file","installed":false,"why":"[^"]*libfrazil-file' "$BATS_TEST_TMPDIR/version"
}

@test "the URLs of all coordinators are in the help of worker and in the manual" {
    local scheme page=$BATS_TEST_DIRNAME/../../man/frazil.spec.5
    fails 2 "there are file, " frazil next worker=nosuch://
    for scheme in ${stderr##*there are }; do
        scheme=${scheme%,}
        grep -qF "$scheme://" "$page"
        case $scheme in
            *+redis+unix | postgresql) ;; # as others, under another name
            *) frazil help worker | grep -qF " $scheme://" ;;
        esac
    done
}

# ---- completion ---------------------------------------------------------------

# complete_words WORD...: what bash offers for the last word.
complete_words() {
    local COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _frazil
    printf '%s\n' "${COMPREPLY[@]}"
}

load_completion() {
    # shellcheck disable=SC1091 # it is checked by itself
    source "$BATS_TEST_DIRNAME/../../completions/frazil.bash"
}

@test "bash completion: every command and every option" {
    load_completion
    local command
    { commands; printf 'help\n--help\n--version\n'; } | sort >"$BATS_TEST_TMPDIR/expected"
    complete_words frazil '' | sort >"$BATS_TEST_TMPDIR/actual"
    same "$BATS_TEST_TMPDIR/expected" "$BATS_TEST_TMPDIR/actual"
    [ "$(complete_words frazil ins)" = inspect ]
    [ "$(complete_words frazil help ins)" = inspect ]
    for command in $(commands | grep -v opaque); do
        { frazil help "$command" | sed -n 's/^  [- ][a-z ][, ] *\(--[a-z-]*\) .*/\1/p'; echo --help; } | sort >"$BATS_TEST_TMPDIR/expected"
        complete_words frazil "$command" - | sort >"$BATS_TEST_TMPDIR/actual"
        same "$BATS_TEST_TMPDIR/expected" "$BATS_TEST_TMPDIR/actual"
    done
}

@test "bash completion: layouts, forms, specs, actions" {
    load_completion
    frazil layout | tail -n +2 | cut -d ' ' -f 1 >"$BATS_TEST_TMPDIR/expected"
    complete_words frazil inspect --layout '' >"$BATS_TEST_TMPDIR/actual"
    same "$BATS_TEST_TMPDIR/expected" "$BATS_TEST_TMPDIR/actual"
    complete_words frazil next layout = '' >"$BATS_TEST_TMPDIR/actual"
    same "$BATS_TEST_TMPDIR/expected" "$BATS_TEST_TMPDIR/actual"
    frazil convert --to nothing 2>&1 | sed -n 's/.*takes one of \(.*\), not.*/\1/p' | tr ' ' '\n' >"$BATS_TEST_TMPDIR/expected"
    complete_words frazil convert --to '' >"$BATS_TEST_TMPDIR/actual"
    same "$BATS_TEST_TMPDIR/expected" "$BATS_TEST_TMPDIR/actual"
    [ "$(complete_words frazil convert -t base6)" = $'base62\nbase64url' ]
    [ "$(complete_words frazil next work)" = $'worker=\nworkers=' ]
    [ "$(complete_words frazil next on_full = le)" = lead ]
    [ "$(complete_words frazil next on_full =)" = $'wait\nlead\nerror' ]
    [ "$(complete_words frazil next worker = "fi")" = $'fixed:\nfile-lock\nfile://' ]
    [ "$(complete_words frazil next worker = redis :)" = // ]
    [ "$(complete_words frazil next clock = fr)" = frozen: ]
    [ "$(complete_words frazil layout ov)" = overlap ]
    [ "$(complete_words frazil lease re)" = release ]
    [ "$(complete_words frazil lease release --w)" = --worker ]
    [ "$(complete_words frazil completion z)" = zsh ]
    [ "$(complete_words frazil doctor --color al)" = always ]
}

@test "completion: a word with what the help says of it, or that it is a file" {
    [ "$(frazil completion --words -- version --j)" = "--json one object" ]
    [ "$(frazil completion --words -- lay)" = "layout $(frazil help | sed -n 's/^  layout  *//p')" ]
    [ "$(frazil completion --words -- verify x)" = :files ]
    [ "$(frazil completion --words -- opaque --key-file '')" = :files ]
    [ "$(frazil completion --words -- next --count '')" = "" ]
    [ "$(frazil completion --words -- nosuch '')" = "" ]
    fails 2 "completion needs one of bash, zsh, fish" frazil completion
    fails 2 'not "fisch" (did you mean fish?)' frazil completion fisch
}

# shell_is_here NAME: leaves the test out without that shell, and fails if nothing may be left out.
shell_is_here() {
    command -v "$1" >/dev/null || [ -n "${TEST_SKIP_NOTHING-}" ] || skip "no $1 here"
    command -v "$1"
}

@test "zsh completes what bash does" {
    shell_is_here zsh
    local -x PATH=${FRAZIL%/*}:$PATH
    frazil completion zsh | zsh -n
    # shellcheck disable=SC2034 # for the function
    zsh -f -c 'compdef() { :; }; _describe() { print -l -- $whole; }; compadd() { print -l -- $begun; }
        words=(frazil version --j) CURRENT=3; source "$0/_frazil"
        words=(frazil next work) CURRENT=3; _frazil' "$BATS_TEST_DIRNAME/../../completions" >"$BATS_TEST_TMPDIR/actual"
    printf -- '--json:one object\nworker=\nworkers=\n' >"$BATS_TEST_TMPDIR/expected"
    same "$BATS_TEST_TMPDIR/expected" "$BATS_TEST_TMPDIR/actual"
}

@test "fish completes what bash does" {
    shell_is_here fish
    local -x PATH=${FRAZIL%/*}:$PATH
    fish -N -c "source $BATS_TEST_DIRNAME/../../completions/frazil.fish
        complete -C 'frazil version --j'; complete -C 'frazil next work'" >"$BATS_TEST_TMPDIR/actual"
    printf -- '--json\tone object\nworker=\nworkers=\n' >"$BATS_TEST_TMPDIR/expected"
    same "$BATS_TEST_TMPDIR/expected" "$BATS_TEST_TMPDIR/actual"
}

# ---- the manual -------------------------------------------------------------------

@test "the manual has every command and every option" {
    local command word page=$BATS_TEST_DIRNAME/../../man/frazil.1
    for command in $(commands); do
        grep -q -e "^\.Ss .*\b$command\b" "$page"
        for word in $(frazil help "$command" | sed -n 's/^  [- ][a-z ][, ] *--\([a-z-]*\) .*/\1/p'); do
            grep -q -e "-$word\b" "$page"
        done
    done
}

# synopsis WORDS...: the options of that command in the synopsis of its page, as letters that no bracket is around.
synopsis() {
    awk -v command="$*" '
        /^\.Sh/ { inside = $2 == "SYNOPSIS" }
        !inside || /^\.Sh/ { next }
        $1 == ".Nm" { words = ""; next }
        $1 == ".Cm" { words = substr($0, 5); next }
        $1 == ".Fl" && words == command { print $2 }' "$BATS_TEST_DIRNAME/../../man/frazil.1"
}

@test "an option that a command needs stands in its synopsis" {
    local needed word letter
    local -a words
    while read -ra words; do
        # Brackets and what is in them are taken out, from the inside.
        needed=$(frazil help "${words[@]}" | sed -n '1{:again; s/\[[^][]*\]//; t again; p}' | grep -o -e '--[a-z-]*' || true)
        for word in $needed; do
            letter=$(frazil help "${words[@]}" | sed -n "s/^  -\(.\), $word .*/\1/p")
            [ -z "$letter" ] || synopsis "${words[@]}" | grep -qx -e "$letter" || {
                echo "${words[*]}: $word"
                return 1
            }
        done
    done < <(helps)
}
