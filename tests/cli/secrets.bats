#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: a password is shown nowhere, wherever the URL that it is in was put by mistake.  The commands and
# their options are those that the help has, so that a new one is tried, too.

load helpers

# Nothing listens there, and a refused connection is a quick answer.
HOST=127.0.0.1:1
# The unit tests try many more forms.
URLS=(
    "redis://:s3cret@$HOST/x"
    "redis://joe:a@s3cret=b@$HOST/x"
    "redis://joe:s3cret"
    "postgres://$HOST/x/y?password=s3cret"
    "redis://$HOST/x?pass=s3cret"
)
EVERY_FORM=(
    "${URLS[@]}"
    "redis://joe:s3%40cret@$HOST/x"
    "redis://joe:a=s3cret@$HOST/x"
    "redis://joe:a/s3cret/b@$HOST/x"
    "redis:/joe:s3cret@$HOST/x"
    "//joe:s3cret@$HOST/x"
    "joe:s3cret@$HOST"
    "etcd://a:1,joe:s3cret@$HOST/x"
    "redis://joe:s3 cret@$HOST/x"
    "/redis://joe:s3cret@$HOST/x"
)

setup() {
    cd "$BATS_TEST_TMPDIR"
    export FRAZIL_STATE=memory FRAZIL_RUN_DIR=$PWD/run FRAZIL_STATE_DIR=$PWD/state
    export FRAZIL_OPEN_WAIT=1s # a refused connection is tried again until then
}

commands() {
    frazil help | sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p'
}

# options COMMAND: its options, "-l" and "--layout" each on a line, with " VALUE" behind those that take one.
options() {
    frazil help "$1" | sed -n 's/^  -\([a-z]\), --\([a-z0-9-]*\)\( [A-Z]*\)\{0,1\}  .*/-\1\3\n--\2\3/p; s/^      --\([a-z0-9-]*\)\( [A-Z]*\)\{0,1\}  .*/--\1\2/p'
}

# hides_secret: "said" has neither the secret nor its end or beginning, but for the random name of this test's folder.
hides_secret() {
    local text
    text=$(<said)
    text=${text//"$BATS_TEST_TMPDIR"/}
    [[ $text != *s3* && $text != *cret* ]]
}

# keeps COMMAND...: it does not show the secret.  TEST_EVERY=N: each Nth is tried.
keeps() {
    local status=0
    tried=$((tried + 1))
    [ $((tried % ${TEST_EVERY:-1})) -eq 0 ] || return 0
    timeout 300 "$FRAZIL" "$@" </dev/null >said 2>&1 || status=$?
    [ "$status" -le 4 ] || { echo "status $status: $*"; return 1; }
    hides_secret || { printf 'frazil'; printf ' %q' "$@"; printf ' shows it:\n'; cat said; return 1; }
}

@test "a URL in place of a command or argument shows no password" {
    local tried=0 command url
    for url in "${EVERY_FORM[@]}"; do
        keeps "$url"
        keeps help "$url"
        keeps "worker=$url"
        keeps "--$url"
        keeps next "$url"
        keeps next -n "worker=$url"
        keeps lease -w "$url"
        keeps lease list "$url"
        keeps verify "$url"
        keeps version "$url"
        keeps shard "$url"
    done
    for url in "${URLS[@]}"; do
        for command in $(commands); do
            keeps "$command" "$url"
            keeps "$command" -- "$url"
            keeps "$command" "worker=$url"
            keeps "$command" 1 "worker= $url"
            keeps "$command" "--worker=$url"
            keeps "$command" "--$url"
        done
        for command in "lease init" "lease list" "lease release" "lease release -w 1" "lease watch -n 1" "state show" \
            "state init" "layout overlap" "layout overlap twitter" "range 2026-01-01" "convert --to hex" "worker --max 5" \
            "scramble --salt 3" "unscramble --salt 3" "verify -j" "compose --tsv"; do
            # shellcheck disable=SC2086 # words
            keeps $command "$url"
        done
    done
    echo "tried $tried"
    [ "$tried" -ge 500 ]
}

@test "a URL as the value of an option shows no password" {
    local tried=0 command option value url
    for command in $(commands); do
        while read -r option value; do
            for url in "${URLS[@]}"; do
                if [ -n "$value" ]; then
                    keeps "$command" "$option" "$url"
                else
                    keeps "$command" "$option=$url"
                fi
            done
        done < <(options "$command")
    done
    echo "tried $tried"
    [ "$tried" -ge 300 ]
}

@test "a URL as the value of a key shows no password, in a spec, the environment or a file" {
    local tried=0 key url
    for key in $(sed -n 's/^    X([A-Z_]*, *"\([a-z_]*\)".*/\1/p' "$BATS_TEST_DIRNAME/../../src/config/keys.h"); do
        for url in "${URLS[@]}"; do
            keeps next "$key=$url"
            keeps doctor "$key=$url"
            keeps state "$key=$url"
            keeps doctor -j "$key=/$url"
            keeps lease list "$key=$url"
            printf '%s=%s\n' "$key" "$url" >file
            keeps next config=file
            export "FRAZIL_${key^^}=$url"
            keeps next worker=fixed:1
            unset "FRAZIL_${key^^}"
        done
    done
    echo "tried $tried"
    [ "$tried" -ge 600 ]
}

@test "the value of a variable that was named by mistake is not shown, nor a layout that is none" {
    local tried=0 command
    for command in next doctor state "doctor -j" "lease list"; do
        # shellcheck disable=SC2086 # words
        SECRET=s3cret keeps $command worker=env:SECRET
        # shellcheck disable=SC2086 # words
        keeps $command layout=env:s3cret:41/10/12
        # shellcheck disable=SC2086 # words
        keeps $command layout=41/joe:s3/cret
    done
    SECRET=-1 fails 2 "worker=env:SECRET gives '-1'" frazil next worker=env:SECRET
}

@test "folders whose names look like a URL are shown without the password, and others as they are" {
    export FRAZIL_STATE=file
    mkdir -p "$PWD/joe:s3cret@h/run" "$PWD/app@1/run"
    frazil next run_dir="$PWD/joe:s3cret@h/run" worker=fixed:1 >ids
    [ -s ids ]
    for options in "" -j; do
        # shellcheck disable=SC2086 # words
        frazil state $options run_dir="$PWD/joe:s3cret@h/run" worker=fixed:1 >said
        grep -qF '...@h/run' said
        hides_secret
        # shellcheck disable=SC2086 # words
        frazil state $options run_dir="$PWD/app@1/run" worker=fixed:1 >said
        grep -qF "$PWD/app@1/run" said
    done
}

@test "a URL in a line of input shows no password" {
    local tried=0 command url
    for url in "${EVERY_FORM[@]}"; do
        printf '%s\n' "$url" >file
        for command in "inspect" "convert --to hex" "shard 3" "scramble --salt 3" "unscramble --salt 3" "compose --tsv" \
            "verify" "verify -j"; do
            # shellcheck disable=SC2086 # words
            "$FRAZIL" $command <file >said 2>&1 || true
            hides_secret || { echo "$command: $(cat said)"; false; }
            keeps $command file
        done
        keeps next config=file
    done
}

@test "what is no password is shown" {
    fails 2 'no command "redis://127.0.0.1:1/x"' frazil redis://127.0.0.1:1/x
    fails 2 'no command "redis://...@127.0.0.1:1/x"' frazil redis://joe:s3cret@127.0.0.1:1/x
    fails 2 'not "redis://h/x?password=...&timeout=..."' frazil next -n 'redis://h/x?password=s3cret&timeout=1s'
    fails 4 'cannot open /nonexistent/a:b' frazil verify /nonexistent/a:b
}

@test "keys that are no word are refused, and show no password: as arguments, in the environment, in a file" {
    local tried=0 key
    for key in "max batch" "a b" " " $'a\tb' $'a\nb' "'a b'" 'a\ b' '"' $'\e[2J' $'gr\xc3\xb6\xc3\x9fe x' "a=b c" "" \
        "$(printf 'a b %.0s' {1..5000})" "x y redis://joe:s3cret@$HOST/x" "redis://joe:s3 cret@$HOST/x" "token=a/b&x y://:s3cret@$HOST"; do
        keeps next "$key=10"
        keeps next worker=fixed:1 "$key=10"
        keeps next "worker=fixed:1 $key=10"
        keeps doctor "$key=10"
        keeps state "$key=10"
        keeps lease list "$key=10"
        keeps next -l "$key=10"
        keeps worker "$key=10"
        env "FRAZIL_${key//=/}=$key" "$FRAZIL" next worker=fixed:1 >said 2>&1 || true
        hides_secret
        FRAZIL_LAYOUT="$key=10" keeps next
        printf 'worker=fixed:1\n%s=10\n' "$key" >file
        keeps next config=file
    done
    echo "tried $tried"
    [ "$tried" -ge 160 ]
}

@test "a key with a blank is refused with a sentence that says what helps" {
    fails 2 "unknown key 'max'; frazil.spec(5) lists the keys" frazil next "max batch=10"
    printf 'max batch=10\n' >file
    fails 2 "line 1: unknown key; frazil.spec(5) lists the keys" frazil next config=file
}
