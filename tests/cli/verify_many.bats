# SPDX-License-Identifier: MIT
# Goal of this test: what is wrong with a stream of ids is found in many of them, too, in little memory.
# shellcheck disable=SC2154 # bats sets stderr
load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# count NAME: the number after a name in the report.
count() {
    sed -n "s/^$1 *\([0-9]*\)$/\1/p" <<<"$output"
}

# Duplicates that are far apart, in different chunks and different order.
@test "duplicates among many, far apart" {
    frazil next -n 5000000 layout=41/0/22 worker=fixed:0 >ids
    { tail -n 1000 ids; cat ids; head -n 1 ids; } >all
    run frazil verify --layout 41/0/22 --list 2000 all
    [ "$status" -eq 1 ]
    [ "$(count duplicates)" = 1001 ]
    { head -n 1 ids; tail -n 1000 ids; } >expected
    sed -n 's/^  \([0-9]*\)  2 times .*/\1/p' <<<"$output" >actual
    same expected actual
    [ "$(count 'order breaks')" = 2 ]
}

# Thirteen million are four chunks; in this order none of them follows on the one before.
@test "many, in order and out of it" {
    frazil next -n 13000000 layout=41/0/22 worker=fixed:0 >ids
    run frazil verify --layout 41/0/22 ids
    [ "$status" -eq 0 ]
    [ "$(count ids)" = 13000000 ]
    split -n l/4 ids part.
    run frazil verify --layout 41/0/22 part.ad part.ab part.ac part.aa - <<<"$(tail -n 1 part.ab)"
    [ "$status" -eq 1 ]
    [ "$(count ids)" = 13000001 ]
    [ "$(count duplicates)" = 1 ]
    [ "$(count 'order breaks')" = 2 ]
    grep -q "^  $(tail -n 1 part.ab)  2 times" <<<"$output"
}

# The table of workers grows, up to a bound that is said.
@test "many workers" {
    local layout='41/21/1 epoch=2026-01-01'
    seq 0 1100000 | awk '{ print "1769904000000", $1, 0 }' | frazil compose --layout "$layout" --tsv >ids
    run frazil verify --layout "$layout" --list 1048576 ids
    [ "$status" -eq 0 ]
    [ "$(grep -c '^ *[0-9]* *1  2026-02-01' <<<"$output")" -eq 1048576 ]
    [[ ${lines[-1]} == "  and 51425 ids of further workers, whose order and rate were not looked at" ]]
}

@test "too little memory is fatal, not silent" {
    (ulimit -v 100000 && frazil version) || skip "this build needs much address space itself"
    frazil next -n 9000000 layout=41/0/22 worker=fixed:0 >ids
    (
        ulimit -v 60000
        fails 4 "out of memory after 4194304 ids" frazil verify --layout 41/0/22 ids
    )
}
