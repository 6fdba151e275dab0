# SPDX-License-Identifier: MIT
# Goal of this test: the errors that users meet most lead out.  Each row of advice.tsv brings one about, finds the advice in its
# sentence, and follows it to the letter; then the command must succeed.
# shellcheck disable=SC2154 # bats sets them
load helpers
load servers

# Rows run in a shell of their own, in a folder of their own.
setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir bin
    ln -s "$(command -v "$FRAZIL")" bin/frazil
    PATH=$BATS_TEST_TMPDIR/bin:$PATH
    export HOME=$BATS_TEST_TMPDIR
    unset FRAZIL_STATE
}

# followed STATUS COMMAND ADVICE FOLLOWED: one row.
followed() {
    local here status=0
    here=$(mktemp -d -p "$BATS_TEST_TMPDIR")
    cd "$here"
    export FRAZIL_RUN_DIR=$here/run FRAZIL_STATE_DIR=$here/state
    bash -c "$2" >out 2>said </dev/null || status=$?
    [ "$status" -eq "$1" ] || { echo "$2: status $status, not $1: $(cat said)"; return 1; }
    [[ $(tail -n 1 said) == "frazil: "*"$3"* ]] || { echo "$2: does not advise '$3': $(cat said)"; return 1; }
    [ "$(tail -n 1 said | wc -m)" -le 512 ] || { echo "$2: $(wc -m <said) characters"; return 1; }
    bash -e -o pipefail -c "$4" >out 2>said </dev/null || { echo "$2: '$3' does not lead out: $4: $(cat out said)"; return 1; }
}

# rows PATTERN...: those lines of the table, by grep's arguments.  TEST_EVERY=N: each Nth of them.
rows() {
    local bad=0 count=0 seen=0 row
    while IFS=$'\t' read -r -a row; do
        seen=$((seen + 1))
        [ $((seen % ${TEST_EVERY:-1})) -eq 0 ] || continue
        followed "${row[@]}" || bad=1
        count=$((count + 1))
    done < <(tail -n +2 "$BATS_TEST_DIRNAME/advice.tsv" | grep "$@")
    echo "$count rows"
    [ "$count" -gt 0 ] && [ "$bad" -eq 0 ]
}

@test "each advice leads out" {
    rows -vF '$PORT'
}

@test "each advice about a coordinator leads out, over a Redis" {
    serve redis
    export PORT=$port
    redis() {
        frazil lease init --never-used "$1" && frazil next "$1"
        redis-cli -p "$PORT" flushall
    }
    export -f redis
    rows -F '$PORT'
}

@test "a row is refused whose status, advice or way out is wrong" {
    followed 2 'frazil nxt' 'frazil help lists them' true
    run ! followed 4 'frazil nxt' 'frazil help lists them' true
    run ! followed 2 'frazil nxt' 'frazil knows' true
    run ! followed 2 'frazil nxt' 'frazil help lists them' false
}
