# SPDX-License-Identifier: MIT
# Goal of this test: what is wrong with a stream of ids is found, exactly.
# shellcheck disable=SC2016,SC2094,SC2154 # $ is for the shell inside; bats sets stderr
load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# id TIME WORKER SEQUENCE
id() {
    frazil compose --time "$1" -w "$2" -s "$3"
}

# count NAME: the number after a name in the report.
count() {
    sed -n "s/^$1 *\([0-9]*\)$/\1/p" <<<"$output"
}

@test "clean" {
    frazil next -n 10000 worker=fixed:9 >ids
    run frazil verify ids
    [ "$status" -eq 0 ]
    [ "$(count ids)" = 10000 ]
    [ "$(count duplicates)" = 0 ]
    [[ ${lines[-1]} =~ ^\ +9\ +10000\  ]]
}

@test "nothing is clean too" {
    run frazil verify </dev/null
    [ "$status" -eq 0 ]
    [ "$(count ids)" = 0 ]
}

@test "duplicates: which, and how often" {
    { id 2026-02-01 1 5; id 2026-02-01 1 6; id 2026-02-01 1 7; } >ids
    run frazil verify ids ids - <ids
    [ "$status" -eq 1 ]
    [ "$(count ids)" = 9 ]
    [ "$(count duplicates)" = 6 ]
    grep -qx "  $(id 2026-02-01 1 6)  3 times  2026-02-01T00:00:00.000Z" <<<"$output"
}

# A worker's own order counts, not that of its neighbours.
@test "order breaks" {
    { id 2026-02-02 1 0; id 2026-02-01 2 0; id 2026-02-03 1 0; id 2026-02-02 2 0; } >fine
    frazil verify fine
    { id 2026-02-02 1 0; id 2026-02-01 1 0; id 2026-02-01 1 1; } >broken
    run frazil verify broken
    [ "$status" -eq 1 ]
    [ "$(count 'order breaks')" = 1 ]
    grep -q "^  $(id 2026-02-01 1 0)  broken:2  2026-02-01T00:00:00.000Z$" <<<"$output"
}

@test "ids of the future, and how far ahead is tolerated" {
    id 2090-01-01 1 0 >future
    run frazil verify future
    [ "$status" -eq 1 ]
    [ "$(count 'in the future')" = 1 ]
    [[ $output == *"future:1  2090-01-01T00:00:00.000Z, in "* ]]
    frazil compose --unix-ms $(($(date +%s) * 1000 + 60000)) -w 1 -s 0 >soon
    run frazil verify soon
    [ "$status" -eq 1 ]
    run frazil verify --tolerance 120000 soon
    [ "$status" -eq 0 ]
}

# As after `frazil next layout=twitter` and a verify without --layout.
@test "if all ids are in the future, another layout is suggested" {
    frazil next -n 3 layout=twitter worker=fixed:7 state=memory >twitter
    run frazil verify twitter
    [ "$status" -eq 1 ]
    local try
    try=$(sed -n 's/^  all of them, so they are probably of another layout; try: frazil inspect --guess //p' <<<"$output")
    [ "$try" = "$(head -n 1 twitter)" ]
    frazil inspect --guess "$try" | grep -q twitter
    { cat twitter; id 2026-02-01 1 5; } >mixed
    run frazil verify mixed
    [ "$(count 'in the future')" = 3 ]
    [[ $output != *"all of them"* ]]
}

@test "ids of another layout" {
    run frazil verify --layout js53 <<<9007199254740992
    [ "$status" -eq 1 ]
    [ "$(count 'other layout')" = 1 ]
    [ "$(count ids)" = 1 ]
}

@test "nothing to verify is said" {
    run --separate-stderr frazil verify </dev/null
    [ "$status" -eq 0 ]
    [ "$(count ids)" = 0 ]
    [ "$stderr" = "frazil: there was nothing to verify: the input has no lines" ]
}

@test "lines that are no ids" {
    run --separate-stderr frazil verify < <(printf '1\nx\n\n2\r\r\n3\n')
    [ "$status" -eq 1 ]
    [ "$(count unreadable)" = 3 ]
    [ "$(count ids)" = 2 ]
    [ "${#stderr_lines[@]}" -eq 3 ]
    [[ ${stderr_lines[1]} == "frazil: standard input:3: the line is empty"* ]]
    run --separate-stderr frazil verify --list 1 < <(printf 'x\ny\nz\n')
    [ "${#stderr_lines[@]}" -eq 1 ]
    [ "$(count unreadable)" = 3 ]
    run frazil verify --layout js53 --list 1 <<<$'9007199254740992\n9007199254740993'
    [[ $output == *"  9007199254740992  standard input:1"*"these are the first; --list N shows more"* ]]
}

@test "numbers of twenty digits: to the last one that fits" {
    run --separate-stderr frazil verify --layout 42/10/12 --tolerance 2147483647 <<<$'18446744073709551615\n18446744073709551616'
    [ "$(count ids)" = 1 ]
    [ "$(count unreadable)" = 1 ]
    [[ $stderr == *'"18446744073709551616"'* ]]
}

# Words are no ids, though base 36 has them all; nor is any other form, unless it is named.
@test "ids are decimal, or of the form that is named" {
    local id word form
    printf '%s\n' null None NaN total hello information null 0xff 7 >words
    run --separate-stderr frazil verify --list 20 words
    [ "$status" -eq 1 ]
    [ "$(count ids)" = 1 ]
    [ "$(count unreadable)" = 8 ]
    [ "$(count duplicates)" = 0 ]
    [ "${#stderr_lines[@]}" -eq 8 ]
    [[ ${stderr_lines[2]} == 'frazil: words:3: "NaN": it is not a decimal number; give another form'* ]]
    id=$(id 2026-02-01 1 5)
    for form in dec20 hex crockford base36 base62; do
        frazil convert --to $form "$id" | frazil verify --form $form
        [ $form = dec20 ] || ! frazil verify < <(frazil convert --to $form "$id")
    done
    for word in null hello; do
        fails 1 "not a decimal number" frazil shard 16 $word
        fails 1 "not a decimal number" frazil scramble --salt 3 $word
        fails 1 "base36: say so, with --form" frazil inspect $word
        fails 1 "base36: say so, with --form" frazil convert --to dec $word
    done
    [ "$(frazil shard --form hex 16 0x10)" = "$(frazil shard 16 16)" ]
    [ "$(frazil scramble --form hex --salt 3 0x10)" = "$(frazil scramble --salt 3 16)" ]
}

# ---- ids of another layout that are valid in this one --------------------------

# ids LAYOUT TIME WORKER COUNT: so many ids, one a second.
ids() {
    local ms
    ms=$(($(date -d "$2" +%s) * 1000))
    seq 0 $(($4 - 1)) | awk -v ms="$ms" -v worker="$3" '{ printf "%.0f %d 0\n", ms + $1 * 1000, worker }' | frazil compose --layout "$1" --tsv
}

@test "ids that lie years from all others are a finding" {
    ids twitter 2026-01-05T00:00:00Z 3 500 >ours
    ids '41/10/12 epoch=2026-01-01' 2026-03-01T00:00:00Z 7 300 >foreign
    paste -d '\n' ours foreign | grep . >mixed
    frazil verify --layout twitter ours
    run frazil verify --layout twitter mixed
    [ "$status" -eq 1 ]
    [ "$(count apart)" = 300 ]
    [ "$(count duplicates)" = 0 ]
    grep -q "^  300 of worker 7, 2011-01-02T.* to 2011-01-02T.* days from any other; try: frazil inspect --guess $(head -n 1 foreign)$" <<<"$output"
    run frazil verify --json --layout twitter mixed
    [[ $output == *'"apart":{"count":300,"first":[{"id":"'"$(head -n 1 foreign)"'","ids":300,"worker":7,"several":false,"first":"2011-'* ]]
    frazil verify --layout twitter --apart 0 mixed
    { ids twitter 2011-01-01 7 1; ids twitter 2011-01-02 8 1; } >>ours
    run frazil verify --layout twitter ours
    grep -q "^  2 of several workers, 2011-01-01T.* to 2011-01-02T" <<<"$output"
    run frazil verify --layout twitter --list 0 ours
    [ "$(count apart)" = 2 ]
    [[ $output == *"these are the first"* ]]
}

# Workers come and go over the years, one job runs once a year, and one host is retired: nothing is strange in that.
@test "a long archive is clean" {
    local year
    for year in {2011..2025}; do
        ids twitter $year-03-01 $((year - 2011)) 20
        ids twitter $year-12-31 100 1
    done >archive
    ids twitter 2014-06-01 500 50 >>archive
    run frazil verify --layout twitter archive
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$(count apart)" = 0 ]
    frazil verify --layout twitter <<<"$(head -n 1 archive)"
    frazil verify </dev/null
}

@test "rate of each worker" {
    { id 2026-02-01T00:00:00.000Z 1 0; id 2026-02-01T00:00:00.000Z 1 1; id 2026-02-01T00:00:00.999Z 1 0
      id 2026-02-01T00:00:01.000Z 1 0; id 2026-02-01T00:00:01.999Z 1 0; id 2026-02-01 2 0; } >ids
    run frazil verify --json ids
    [ "$status" -eq 0 ]
    [[ $output == *'"worker_count":2,"untallied":0,"workers":[{"worker":1,"ids":5,"first":"2026-02-01T00:00:00.000Z","last":"2026-02-01T00:00:01.999Z","tick_peak":2,"second_peak":3,"ids_per_second":2.5},{"worker":2,"ids":1,'* ]]
    run frazil verify --list 1 ids
    [[ $output == *"and 1 more; --list 2 shows them"* ]]
}

@test "snos: both sides of the tick-tock, whatever the metabyte" {
    # ticktock meta partition sequence
    printf '1700000000000 0 9 1 5\n1700000000000 0 0 1 6\n1699999999000 1 0 1 0\n1699999999000 1 0 1 1\n' |
        frazil compose -l sno --tsv >snos
    frazil verify --layout sno snos
    cat snos snos >twice
    run frazil verify --layout sno twice
    [ "$status" -eq 1 ]
    [ "$(count duplicates)" = 4 ]
    printf '1262304000004 0 0 1 5\n1262304000004 0 0 1 4\n' | frazil compose -l sno --tsv >broken
    run frazil verify --layout sno broken
    [ "$(count 'order breaks')" = 1 ]
    frazil next -n 5000000 layout=sno worker=fixed:1 | frazil verify --layout sno
}

@test "JSON of findings" {
    { id 2026-02-01 1 5; id 2026-02-01 1 5; id 2026-01-31 1 5; } >'a"b'
    run frazil verify --json 'a"b'
    [ "$status" -eq 1 ]
    [[ $output == '{"layout":"frazil","ids":3,"unreadable":0,"duplicates":{"count":1,"first":[{"id":"'"$(id 2026-02-01 1 5)"'","times":2}]},"order_breaks":{"count":1,"first":[{"id":"'"$(id 2026-01-31 1 5)"'","file":"a\"b","line":3}]},"future":{"count":0,"first":[]},"foreign":{"count":0,"first":[]},'* ]]
}

@test "errors" {
    fails 4 "cannot open nosuch: No such file" frazil verify nosuch
    fails 4 "cannot read" frazil verify /
    fails 2 "--list takes" frazil verify --list x
    fails 2 "nosuch" frazil verify --layout nosuch
}

# Progress is for terminals: it is on standard error, and gone in the end.
@test "progress on a terminal only" {
    command -v script >/dev/null || skip "there is no script(1)"
    frazil next -n 1100000 layout=41/0/22 worker=fixed:0 >ids
    export FRAZIL
    [[ $(script -qec '"$FRAZIL" verify --layout 41/0/22 ids >/dev/null' /dev/null </dev/null) == *"read 1048576 ids"* ]]
    run --separate-stderr frazil verify --layout 41/0/22 ids
    [ -z "$stderr" ]
}
