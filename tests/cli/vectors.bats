# SPDX-License-Identifier: MIT
# Goal of this test: every line of every vector file, through the command.
# shellcheck disable=SC2016,SC2094,SC2154 # $ is for the shell inside; bats sets stderr
load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# In each text form and back, ids are those of the vectors.
@test "text.tsv: every form, both ways" {
    local form column=2
    vector text.tsv 1 >dec
    for form in hex crockford base36 base58 base62 base64url bytes; do
        vector text.tsv $column >expected
        frazil convert --from dec --to $form <dec >actual
        same expected actual
        frazil convert --from $form --to dec <expected >back
        same dec back
        column=$((column + 1))
    done
}

# The forms that no vector has lead back to where they came from.
@test "text.tsv: dec20 and bin, there and back" {
    local form
    vector text.tsv 1 >dec
    for form in dec20 bin; do
        frazil convert --to $form <dec >there
        frazil convert --from $form --to dec <there >back
        same dec back
    done
    frazil convert --to dec20 <dec >padded
    awk '{ while (length($0) < 20) $0 = "0" $0; print }' dec >expected
    same expected padded
}

# Scrambled ids are those of the vectors, with and without check digits, both ways.
@test "kasumi.tsv: scramble and unscramble" {
    local salt
    vector kasumi.tsv 1 | sort -u >salts
    while read -r salt; do
        vector kasumi.tsv 1,2,5,6 | awk -F '\t' -v s="$salt" '$1 == s' >lines
        cut -f 2 lines | frazil scramble --salt "$salt" | paste - <(cut -f 3 lines) | awk '$1 != $2 { exit 1 }'
        cut -f 2 lines | frazil scramble --salt "$salt" --checksum | paste - <(cut -f 4 lines) | awk '$1 != $2 { exit 1 }'
        cut -f 3 lines | frazil unscramble --salt "$salt" | paste - <(cut -f 2 lines) | awk '$1 != $2 { exit 1 }'
        cut -f 4 lines | frazil unscramble --salt "$salt" --checksum >>unscrambled
        cut -f 2 lines >>expected
    done <salts
    same expected unscrambled
    [ "$(wc -l <expected)" -eq "$(vector kasumi.tsv 1 | wc -l)" ]
}

# Ids are composed and taken apart as konayuki does, under each layout that it was set to.
@test "konayuki.tsv: compose and inspect" {
    local time worker sequence epoch layout
    vector konayuki.tsv 1,2,3,4 | sort -u >layouts
    while read -r time worker sequence epoch; do
        layout="$time/$worker/$sequence epoch=$epoch"
        vector konayuki.tsv 1,2,3,4,6,7,8,9 |
            awk -F '\t' -v l="$time $worker $sequence $epoch" '$1 " " $2 " " $3 " " $4 == l' | cut -f 5- >lines
        awk -F '\t' -v OFS='\t' '{ print $4, $1, $2 }' lines | frazil compose --layout "$layout" --tsv >>composed
        cut -f 3 lines >>expected
        cut -f 3 lines | frazil inspect --layout "$layout" --json >json
        paste <(json worker <json) <(json sequence <json) <(json id <json) <(json unix_ms <json) >inspected
        same lines inspected
    done <layouts
    same expected composed
    [ "$(wc -l <expected)" -eq "$(vector konayuki.tsv 1 | wc -l)" ]
}

@test "konayuki.tsv: shards" {
    local column=10 n
    vector konayuki.tsv 8 >ids
    for n in 16 7 1000; do
        vector konayuki.tsv $column >expected
        frazil shard $n <ids >actual
        same expected actual
        column=$((column + 1))
    done
}

# The sequence of the last of `calls` calls is one less; the worker number holds the datacenter.
@test "flake.tsv: compose and inspect" {
    local epoch
    vector flake.tsv 2 | sort -u >epochs
    while read -r epoch; do
        vector flake.tsv 1,2,3,4,5,6,7 | awk -F '\t' -v e="$epoch" '$2 == e' >lines
        awk -F '\t' -v OFS='\t' '{ print $1, 32 * $3 + $4, $5 - 1 }' lines >tsv
        frazil compose --layout "flake epoch=$epoch" --tsv tsv >>composed
        frazil compose --layout "flake epoch=$epoch" --form hex --tsv <tsv >>composed_hex
        cut -f 7 lines >>expected
        cut -f 6 lines >>expected_hex
        cut -f 7 lines | frazil inspect --layout "flake epoch=$epoch" --json >json
        paste <(json unix_ms <json) <(json worker <json) <(json sequence <json) >inspected
        same tsv inspected
        json datacenter <json | paste - <(cut -f 3 lines) | awk '$1 != $2 { exit 1 }'
    done <epochs
    same expected composed
    same expected_hex composed_hex
    [ "$(wc -l <expected)" -eq "$(vector flake.tsv 1 | wc -l)" ]
}

@test "flake.tsv: --datacenter and the worker inside it" {
    local unix_ms epoch datacenter worker calls decimal
    vector flake.tsv 1,2,3,4,5,7 | head -n 20 >lines
    while read -r unix_ms epoch datacenter worker calls decimal; do
        [ "$(frazil compose -l "flake epoch=$epoch" --unix-ms "$unix_ms" --datacenter "$datacenter" -w "$worker" \
            -s $((calls - 1)))" = "$decimal" ]
    done <lines
}

@test "sno.tsv: convert both ways" {
    vector sno.tsv 1 >hex
    vector sno.tsv 2 >text
    frazil convert --from hex --to sno <hex >actual
    same text actual
    frazil convert --from sno --to hex <text >actual
    same hex actual
}

@test "sno.tsv: inspect and compose" {
    vector sno.tsv 1,2,3,4,5,6,7,8 | awk -F '\t' -v OFS='\t' '{ sub(/000000$/, "", $4); if ($4 == "") $4 = 0; print }' >lines
    cut -f 2 lines | frazil inspect --layout sno --json >json
    paste <(json hex <json) <(json text <json) <(json time <json) <(json unix_ms <json) <(json ticktock <json) \
        <(json meta <json) <(json partition <json) <(json sequence <json) >actual
    same lines actual
    cut -f 1 lines | frazil inspect --layout sno --json | cmp - json
    cut -f 4- lines | frazil compose --layout sno --tsv >composed
    cut -f 2 lines >texts
    same texts composed
}

@test "workerhash.tsv: worker" {
    local max
    vector workerhash.tsv 2 | sort -u >sizes
    while read -r max; do
        vector workerhash.tsv 1,2,3 | awk -F '\t' -v m="$max" '$2 == m' >lines
        cut -f 1 lines | frazil worker --max "$max" >>actual
        cut -f 3 lines >>expected
    done <sizes
    same expected actual
    [ "$(wc -l <expected)" -eq "$(vector workerhash.tsv 1 | wc -l)" ]
}

@test "public.tsv: inspect" {
    local layout id time worker sequence seen=0
    vector public.tsv 1,2,3,4,5 >all
    while read -r layout id time worker sequence; do
        frazil inspect --layout "$layout" --json "$id" >json
        [ "$(json id <json) $(json layout <json) $(json time <json) $(json worker <json) $(json sequence <json)" = \
            "$id $layout $time $worker $sequence" ]
        seen=$((seen + 1))
    done <all
    [ $seen -gt 0 ]
}
