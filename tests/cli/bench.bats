# SPDX-License-Identifier: MIT
# Goal of this test: what `frazil bench` prints is complete and in order.  Never what it measures.
# shellcheck disable=SC2154 # bats and serve set them
load helpers
load servers

# All rows.
keys='clock counter add counter_add fill next shared led try local batch_1 batch_16 batch_256 batch_4096 local_256 local_4096 sno_encode sno_decode
    open_memory open_inline open_thread thread spec_open spec_close threads threads_next threads_max'

# In memory, as a run directory is: on a disk opening takes long.
setup() {
    XDG_RUNTIME_DIR=$(mktemp -d /dev/shm/frazil-test-XXXXXX || mktemp -d "$BATS_TEST_TMPDIR/XXXXXX")
    export XDG_RUNTIME_DIR
}

teardown() {
    serve_no_more
    rm -rf "$XDG_RUNTIME_DIR"
}

@test "as text: the machine, the source of the time, groups of rows" {
    run frazil bench --quick --threads 4
    echo "$output"
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == "frazil "* ]]
    [[ ${lines[1]} == *" processors, "* ]]
    [[ ${lines[2]} == "Ids take the time from the "* ]]
    [[ ${lines[3]} == "3 rounds, in which the rows of a group take turns; of threads 2 rounds of 20 ms" ]]
    [[ $output == *"Parts of an id"*"clock read"*"One thread, per id"*"next"*"Text"*"Opening"*"Threads"* ]]
    # A count is a whole number.
    echo "$output" | grep -qE '^  threads +4 +$'
    # A target says whether it was met and what it is.
    echo "$output" | grep -qE '^  next .* (ok|MISSED) +[0-9.]+ x clock read, at most 1\.00$'
}

@test "as JSON: one object with every row once, and numbers in order" {
    frazil bench --quick --threads 4 --json >"$BATS_TEST_TMPDIR/json"
    head -n 1 "$BATS_TEST_TMPDIR/json" | grep -qE '^\{"frazil":"[0-9.]+",.*"clock_path":"(counter|clock)",.*"rounds":3,"rows":\[$'
    tail -n 1 "$BATS_TEST_TMPDIR/json" | grep -qx ']}'
    for key in $keys; do
        [ "$(grep -c "\"key\":\"$key\"," "$BATS_TEST_TMPDIR/json")" -eq 1 ] || { echo "$key" && return 1; }
    done
    forms=$(frazil convert --help | sed -n '/of 64-bit ids one of$/ { n; p; }')
    for form in ${forms:?}; do
        [ "$(grep -cE "\"key\":\"${form}_(format|parse)\"," "$BATS_TEST_TMPDIR/json")" -eq 2 ] || { echo "$form" && return 1; }
    done
    # A processor without a counter has no figures for it, and a note instead; all other rows have figures.
    sed '1d;$d' "$BATS_TEST_TMPDIR/json" | awk '
        !/"median":null/ || !/"rounds":0,/ || !/"missed":3,/ || !/"key":"counter.*"note":"a program cannot read a counter/ { print }
    ' >"$BATS_TEST_TMPDIR/measured"
    awk -F '"(rounds|min|q1|median|q3|max|targets)":' '
        NF != 8 || $2 + 0 < 1 || $3 + 0 > $4 + 0 || $4 + 0 > $5 + 0 || $5 + 0 > $6 + 0 || $6 + 0 > $7 + 0 { print; bad = 1 }
        END { exit bad || NR == 0 }' "$BATS_TEST_TMPDIR/measured"
    # Every line but the last ends in a comma, and brackets close.
    sed '1d;$d' "$BATS_TEST_TMPDIR/json" | sed '$d' | grep -v '},$' && return 1
    awk '{ opened += gsub(/[[{]/, ""); closed += gsub(/[]}]/, "") } END { exit opened != closed }' "$BATS_TEST_TMPDIR/json"
}

@test "threads share the generator of the spec: a sno; one that refuses calls or has long ticks says so" {
    frazil bench --quick --threads 2 --json layout=sno worker=fixed:1 state=memory | grep -qE '"key":"threads",.*"rounds":1,.*"median":2.0000'
    for spec in 'layout=41/10/8 on_full=error' 'layout=20/1/12 tick=24h'; do
        # shellcheck disable=SC2086 # keys of a spec
        timeout 300 "$FRAZIL" bench --quick --threads 2 --rounds 1 --json $spec worker=fixed:1 state=memory >"$BATS_TEST_TMPDIR/json"
        grep '"key":"threads"' "$BATS_TEST_TMPDIR/json" | grep -q '"rounds":0,.*"missed":1,"note":"it refuses calls, or its ticks are too long"'
        grep -q '"key":"next"' "$BATS_TEST_TMPDIR/json"
        run ! grep -qE '"key":"threads_' "$BATS_TEST_TMPDIR/json"
    done
}

@test "the source of the time is that of the rows; the spec's own is shown where it differs" {
    frazil bench --quick --threads 2 --rounds 1 --json >"$BATS_TEST_TMPDIR/json"
    path=$(head -n 1 "$BATS_TEST_TMPDIR/json" | json clock_path)
    [ "$(head -n 1 "$BATS_TEST_TMPDIR/json" | json spec_clock_path)" = "$path" ]
    frozen='clock=frozen:2026-11-01T00:00:00Z worker=fixed:1'
    frazil bench --quick --threads 2 --rounds 1 --json "$frozen" >"$BATS_TEST_TMPDIR/json"
    head -n 1 "$BATS_TEST_TMPDIR/json" | grep -q "\"clock_path\":\"$path\",.*\"spec_clock_path\":\"clock\","
    frazil bench --quick --threads 2 --rounds 1 "$frozen" >"$BATS_TEST_TMPDIR/text"
    if [ "$path" = counter ]; then
        grep -qx "Ids take the time from the processor's counter, and from the clock once a tick." "$BATS_TEST_TMPDIR/text"
        grep -qx "Ids of SPEC take the time from the clock, for each id." "$BATS_TEST_TMPDIR/text"
    fi
}

@test "opening is judged where files are in memory, and not where they are on a disk" {
    kind=$(stat -f -c %T "$BATS_TEST_TMPDIR")
    case $kind in tmpfs | ramfs) skip "there is no disk" ;; esac
    XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR frazil bench --quick --threads 2 --rounds 1 >"$BATS_TEST_TMPDIR/text"
    grep -q '^Opening, files on a disk: not judged  ' "$BATS_TEST_TMPDIR/text"
    run ! grep -qE '^Opening, files in memory|^  fixed, keeper=.*(ok|MISSED)' "$BATS_TEST_TMPDIR/text"
    case $(stat -f -c %T "$XDG_RUNTIME_DIR") in tmpfs | ramfs) ;; *) skip "there is no /dev/shm" ;; esac
    frazil bench --quick --threads 2 --rounds 1 >"$BATS_TEST_TMPDIR/text"
    grep -q '^Opening, files in memory  ' "$BATS_TEST_TMPDIR/text"
    [ "$(grep -cE '^  fixed, keeper=.*(ok|MISSED)' "$BATS_TEST_TMPDIR/text")" -eq 2 ]
}

@test "a spec with a coordinator is measured against a read of it; one without is not" {
    serve redis
    url="redis://127.0.0.1:$port/orders?timeout=60s"
    frazil lease init --never-used "$url"
    frazil bench --quick --threads 2 --rounds 2 --json "worker=$url" >"$BATS_TEST_TMPDIR/json"
    grep '"key":"spec_round_trip"' "$BATS_TEST_TMPDIR/json" | grep -q '"rounds":2,'
    for key in spec_open spec_close; do
        grep "\"key\":\"$key\"" "$BATS_TEST_TMPDIR/json" | grep -qE '"targets":\[\{"value":[0-9.]+,"times":"spec_round_trip"\}\]'
    done
    [ "$(frazil lease list --json "$url" | json state | sort -u)" = released ]
    frazil lease init --never-used "file://$BATS_TEST_TMPDIR/leases"
    frazil bench --quick --threads 2 --rounds 1 --json "worker=file://$BATS_TEST_TMPDIR/leases" >"$BATS_TEST_TMPDIR/json"
    run ! grep -q spec_round_trip "$BATS_TEST_TMPDIR/json"
}

@test "a spec with a password in its URL is shown without it" {
    serve redis
    url=redis://default:s3cret@127.0.0.1:$port/orders
    frazil lease init --never-used "$url"
    frazil bench --quick --threads 2 --rounds 1 "worker=$url" >"$BATS_TEST_TMPDIR/text"
    frazil bench --quick --threads 2 --rounds 1 --json "worker=$url" >"$BATS_TEST_TMPDIR/json"
    grep -qF "SPEC: worker=redis://...@127.0.0.1:$port/orders" "$BATS_TEST_TMPDIR/text"
    [ "$(head -n 1 "$BATS_TEST_TMPDIR/json" | json spec)" = "worker=redis://...@127.0.0.1:$port/orders" ]
    run ! grep -q s3cret "$BATS_TEST_TMPDIR/text" "$BATS_TEST_TMPDIR/json"
}

@test "nothing is left in the scratch directory" {
    frazil bench --quick --threads 2 >/dev/null
    [ -z "$(ls "$XDG_RUNTIME_DIR")" ]
}

@test "rounds are as many as asked for; those of threads as many as fit, and the longest call is of all of them" {
    frazil bench --rounds 7 --quick --threads 2 --json >"$BATS_TEST_TMPDIR/json"
    rounds() {
        grep "\"key\":\"$1\"" "$BATS_TEST_TMPDIR/json" | json rounds
    }
    head -n 1 "$BATS_TEST_TMPDIR/json" | grep -q '"limit_rounds":2,"rounds":7,'
    [ "$(rounds next)" -eq 7 ]
    [ "$(rounds threads_next)" -eq 2 ]
    [ "$(rounds threads)" -eq 1 ]
    [ "$(rounds threads_max)" -eq 1 ]
}

@test "what it does not take" {
    fails 2 "0 rounds" frazil bench --rounds 0
    fails 2 "0 threads" frazil bench --threads 0
    fails 2 "from 0 to 1024" frazil bench --threads 1025
    fails 2 "from 0 to 1000" frazil bench --rounds 1001
    fails 2 "colour" frazil bench worker=fixed:1 colour=red
    fails 2 "fixed:N" frazil bench layout=twitter
}

# Progress is for terminals: it is on standard error, and gone in the end.
@test "on a terminal it tells once in a second how far it is" {
    command -v script >/dev/null || skip "there is no script(1)"
    export FRAZIL
    [[ $(script -qec '"$FRAZIL" bench --threads 2 >/dev/null' /dev/null </dev/null) == *"measuring, "*": round "*" of "* ]]
    run --separate-stderr frazil bench --quick --threads 2
    [ -z "$stderr" ]
}
