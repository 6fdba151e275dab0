# SPDX-License-Identifier: MIT
# Goal of this test: what `frazil bench` prints is complete and in order.  Never what it measures.
# shellcheck disable=SC2154 # bats and serve set them
load helpers
load servers

# All rows that do not depend on the processor.
keys='clock add fill next shared try local batch_1 batch_16 batch_256 batch_4096 dec_format dec_parse sno_encode
    sno_decode dec20_format dec20_parse base36_format base36_parse bin_format bin_parse bytes_format bytes_parse hex_format hex_parse crockford_format crockford_parse base58_format base58_parse base62_format
    base62_parse base64url_format base64url_parse two_counter_add two_next two_processes one_local two_local open_memory open_inline open_thread open_lock open_env
    open_ordinal open_hash open_octet open_ip_hash open_auto open_lease rate_share rate_cpu
    alone_p50 alone_p99 alone_p999 alone_p9999 alone_max limit_threads limit_p50 limit_p99 limit_p999
    limit_p9999 limit_max limit_p999_ticks limit_fewest spec_open spec_close aged crowd_1 crowd_10 words_10 crowd_100
    words_100 crowd_1000 words_1000 hasty_1000 held leased far new old open_lock_none open_lock_held open_lock_base
    open_lease_none open_lease_held'

# In memory, as a run directory is: on a disk opening takes long.
setup() {
    XDG_RUNTIME_DIR=$(mktemp -d /dev/shm/frazil-test-XXXXXX || mktemp -d "$BATS_TEST_TMPDIR/XXXXXX")
    export XDG_RUNTIME_DIR
}

teardown() {
    serve_no_more
    rm -rf "$XDG_RUNTIME_DIR"
}

@test "for people: the machine, the way in which time is told, groups of rows" {
    run frazil bench --quick --threads 4
    echo "$output"
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == "frazil "* ]]
    [[ ${lines[1]} == *" processors, "* ]]
    [[ ${lines[2]} == "Time is told by the "* ]]
    [[ ${lines[3]} == "3 rounds, in which the rows of a group take turns; latencies, and what is at the limit: 2 of 20 ms" ]]
    [[ $output == *"What an id is made of"*"clock read"*"One thread, an id"*"next"*"Text"*"Opening"* ]]
    # A target says whether it was met and what was asked for.
    echo "$output" | grep -qE '^  next .* (ok|SHORT) +[0-9.]+ x clock read, at most 1\.00$'
}

@test "as JSON: one object with every row once, and numbers in order" {
    # Of so few ids a tick that any caller uses them up.
    frazil bench --quick --threads 4 --json layout=41/10/8 worker=fixed:0 state=memory >"$BATS_TEST_TMPDIR/json"
    head -n 1 "$BATS_TEST_TMPDIR/json" | grep -qE '^\{"frazil":"[0-9.]+",.*"clock_path":"(counter|clock)",.*"rounds":3,"rows":\[$'
    tail -n 1 "$BATS_TEST_TMPDIR/json" | grep -qx ']}'
    for key in $keys; do
        [ "$(grep -c "\"key\":\"$key\"," "$BATS_TEST_TMPDIR/json")" -eq 1 ] || { echo "$key" && return 1; }
    done
    # Two who did not meet, on a busy machine, and a host without an address have no figures and a note instead; all others
    # have figures.
    sed '1d;$d' "$BATS_TEST_TMPDIR/json" | awk '
        !/"median":null/ || !/"rounds":0,/ || !/"missed":3,/ ||
            (!/"key":"two_.*"note":"the two did not meet: / && !/"key":"open_(octet|ip_hash)".*"note":"this host has no address /) { print }
    ' >"$BATS_TEST_TMPDIR/measured"
    awk -F '"(rounds|min|q1|median|q3|max|targets)":' '
        NF != 8 || $2 + 0 < 1 || $3 + 0 > $4 + 0 || $4 + 0 > $5 + 0 || $5 + 0 > $6 + 0 || $6 + 0 > $7 + 0 { print; bad = 1 }
        END { exit bad || NR == 0 }' "$BATS_TEST_TMPDIR/measured"
    # Every line but the last ends in a comma, and brackets close.
    sed '1d;$d' "$BATS_TEST_TMPDIR/json" | sed '$d' | grep -v '},$' && return 1
    awk '{ opened += gsub(/[[{]/, ""); closed += gsub(/[]}]/, "") } END { exit opened != closed }' "$BATS_TEST_TMPDIR/json"
}

@test "the spec's generator is taken to its limit: sno, and one that refuses to be" {
    # A caller that a busy machine or a sanitizer slows down does not reach it, and that is told.
    frazil bench --quick --threads 2 --json layout=sno state=memory |
        grep -qE '"key":"limit_p50"|"key":"rate_share".*"note":"one caller cannot use up a tick: '
    frazil bench --quick --threads 2 --json worker=fixed:1 on_full=error state=memory >"$BATS_TEST_TMPDIR/json"
    grep -q '"key":"next"' "$BATS_TEST_TMPDIR/json"
    run ! grep -qE '"key":"(rate_share|limit_p50)"' "$BATS_TEST_TMPDIR/json"
}

@test "a limit that nobody reaches, or not in time, is not measured: one row says so" {
    for spec in layout=39/1/24 'layout=32/1/30 tick=1s' 'layout=20/1/12 tick=24h'; do
        timeout 120 "$FRAZIL" bench --quick --threads 2 --rounds 1 --json "$spec" worker=fixed:0 state=memory >"$BATS_TEST_TMPDIR/json"
        grep '"key":"rate_share"' "$BATS_TEST_TMPDIR/json" | grep -q '"rounds":0,.*"missed":1,"note":".*"targets":\[\]'
        grep -q '"key":"alone_p50"' "$BATS_TEST_TMPDIR/json"
        run ! grep -qE '"key":"(rate_cpu|limit_.*)"' "$BATS_TEST_TMPDIR/json"
    done
}

@test "the way in which time is told is that of the rows; the spec's own is told where it differs" {
    frazil bench --quick --threads 2 --rounds 1 --json >"$BATS_TEST_TMPDIR/json"
    path=$(head -n 1 "$BATS_TEST_TMPDIR/json" | json clock_path)
    [ "$(head -n 1 "$BATS_TEST_TMPDIR/json" | json spec_clock_path)" = "$path" ]
    frozen='clock=frozen:2026-11-01T00:00:00Z worker=fixed:1'
    frazil bench --quick --threads 2 --rounds 1 --json "$frozen" >"$BATS_TEST_TMPDIR/json"
    head -n 1 "$BATS_TEST_TMPDIR/json" | grep -q "\"clock_path\":\"$path\",.*\"spec_clock_path\":\"clock\","
    frazil bench --quick --threads 2 --rounds 1 "$frozen" >"$BATS_TEST_TMPDIR/text"
    if [ "$path" = counter ]; then
        grep -qx "Time is told by the processor's counter, and by the clock once a tick." "$BATS_TEST_TMPDIR/text"
        grep -qx "To it alone time is told by the clock, for each id." "$BATS_TEST_TMPDIR/text"
    fi
}

@test "opening is judged where files are in memory, and not where they are on a disk" {
    kind=$(stat -f -c %T "$BATS_TEST_TMPDIR")
    case $kind in tmpfs | ramfs) skip "there is no disk" ;; esac
    XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR frazil bench --quick --threads 2 --rounds 1 >"$BATS_TEST_TMPDIR/text"
    grep -q '^Opening, files on a disk: not judged  ' "$BATS_TEST_TMPDIR/text"
    run ! grep -qE '^Opening, files in memory|^  fixed, keeper=.*(ok|SHORT)' "$BATS_TEST_TMPDIR/text"
    case $(stat -f -c %T "$XDG_RUNTIME_DIR") in tmpfs | ramfs) ;; *) skip "there is no /dev/shm" ;; esac
    frazil bench --quick --threads 2 --rounds 1 >"$BATS_TEST_TMPDIR/text"
    grep -q '^Opening, files in memory  ' "$BATS_TEST_TMPDIR/text"
    [ "$(grep -cE '^  fixed, keeper=.*(ok|SHORT)' "$BATS_TEST_TMPDIR/text")" -eq 2 ]
}

@test "two who never have a processor each do not meet, and are not judged" {
    command -v taskset >/dev/null || skip "there is no taskset"
    taskset -c "$(awk '$1 == "Cpus_allowed_list:" { sub(/[-,].*/, "", $2); print $2 }' /proc/self/status)" \
        "$FRAZIL" bench --quick --threads 2 --rounds 1 >"$BATS_TEST_TMPDIR/text"
    [ "$(grep -c ' - ns .* the two did not meet: no two processors were free (1 of 1 rounds)$' "$BATS_TEST_TMPDIR/text")" -eq 4 ]
    run ! grep -E '^  (threads|processes): .*(ok|SHORT)' "$BATS_TEST_TMPDIR/text"
}

@test "a spec with a coordinator is measured against a read of it; one without is not" {
    serve redis
    url=redis://127.0.0.1:$port/orders
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
    grep -qF "The generator at its limit: worker=redis://...@127.0.0.1:$port/orders" "$BATS_TEST_TMPDIR/text"
    [ "$(head -n 1 "$BATS_TEST_TMPDIR/json" | json spec)" = "worker=redis://...@127.0.0.1:$port/orders" ]
    run ! grep -q s3cret "$BATS_TEST_TMPDIR/text" "$BATS_TEST_TMPDIR/json"
}

@test "where there is no network address, the sources that need one say so" {
    unshare --user --map-root-user --net true || skip "no network can be taken away here"
    unshare --user --map-root-user --net "$FRAZIL" bench --quick --threads 2 --rounds 1 >"$BATS_TEST_TMPDIR/text"
    [ "$(grep -c '^  ip-.* - us .* this host has no address of its own that would do (1 of 1 rounds)$' "$BATS_TEST_TMPDIR/text")" -eq 2 ]
}

@test "nothing is left in the scratch directory" {
    frazil bench --quick --threads 2 >/dev/null
    [ -z "$(ls "$XDG_RUNTIME_DIR")" ]
}

@test "rounds are as many as asked for; those of latencies as many as fit, and the longest call is of all of them" {
    frazil bench --rounds 7 --quick --threads 2 --json layout=41/10/8 worker=fixed:0 state=memory >"$BATS_TEST_TMPDIR/json"
    rounds() {
        grep "\"key\":\"$1\"" "$BATS_TEST_TMPDIR/json" | json rounds
    }
    head -n 1 "$BATS_TEST_TMPDIR/json" | grep -q '"limit_rounds":2,"rounds":7,'
    [ "$(rounds next)" -eq 7 ]
    for key in rate_share rate_cpu alone_p50 alone_p9999 limit_p50 limit_p999_ticks; do
        [ "$(rounds $key)" -eq 2 ] || { echo "$key" && return 1; }
    done
    for key in alone_max limit_max limit_max_ticks limit_threads limit_fewest; do
        [ "$(rounds $key)" -eq 1 ] || { echo "$key" && return 1; }
    done
}

@test "what it does not take" {
    fails 2 "0 rounds" frazil bench --rounds 0
    fails 2 "0 threads" frazil bench --threads 0
    fails 2 "from 0 to 1024" frazil bench --threads 1025
    fails 2 "from 0 to 1000" frazil bench --rounds 1001
    fails 2 "colour" frazil bench worker=fixed:1 colour=red
    fails 2 "fixed:N" frazil bench layout=twitter
}
