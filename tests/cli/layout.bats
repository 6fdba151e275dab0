# SPDX-License-Identifier: MIT
# Goal of this test: what is said about layouts, and about two of them.
# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; bats sets stderr
load helpers

@test "the list has every preset and its last instant" {
    run frazil layout
    [ "$status" -eq 0 ]
    local line
    for line in "frazil 41/10/12 1 2026-01-01 2095-09-07T15:47:35.551Z 1024 4096000" \
        "konayuki 41/10/12 1 2026-01-01 2095-09-07T15:47:35.551Z 1024 4096000" \
        "sfid 41/10/12 1 2025-12-22 2095-08-28T15:47:35.551Z 1024 4096000" \
        "sno 39/1+8+16/16 4 2010-01-01 2079-09-07T15:47:35.548Z 65536 16384000" \
        "post 41/10/12 1 1970-01-01 2039-09-07T15:47:35.551Z 1024 4096000" \
        "flake 42/5+5/12 1 1970-01-01 2109-05-15T07:35:11.103Z 1024 4096000" \
        "twitter 41/5+5/12 1 2010-11-04 2080-07-10T17:30:30.208Z 1024 4096000" \
        "discord 42/5+5/12 1 2015-01-01 2154-05-15T07:35:11.103Z 1024 4096000" \
        "sonyflake 39/8s/16w 10 2014-09-01 2188-11-16T03:28:58.870Z 65536 25600"; do
        tr -s ' ' <<<"$output" | grep -qxF "$line"
    done
    grep -q '^instagram ' <<<"$output"
    grep -q '^mastodon ' <<<"$output"
    grep -q '^js53 ' <<<"$output"
}

@test "one layout: picture, capacity, life" {
    run frazil layout twitter
    [ "$status" -eq 0 ]
    [ "${lines[1]}" = "0 ttttttttttttttttttttttttttttttttttttttttt ddddd wwwww ssssssssssss" ]
    [[ $output == *"fingerprint     41/5+5/12 epoch=1288834974657 tick=1ms"* ]]
    [[ $output == *"workers         1024  (32 datacenters of 32)"* ]]
    [[ $output == *"ids a tick      4096 "* && $output == *"ids a second    4096000 "* ]]
    [[ $output =~ 2080-07-10T17:30:30.208Z\ \ \([0-9.]+\ years\ left\) ]]
    [[ $output == *"sign bit        never reached"* ]]
}

# Layouts of which users have to be warned.
@test "the sign bit, 53 bits, a short life" {
    frazil layout flake | grep -q "sign bit .*2039-09-07T15:47:35.552Z on ids are negative"
    frazil layout js53 | grep -q "53 bits .*every id is exact"
    frazil layout twitter | grep -q "53 bits .*use strings"
    frazil layout '41/10/12 epoch=1900-01-01' | grep -q "(past: no id can be issued)"
    frazil layout '41/10/12 epoch=1960-01-01' | grep -q "allow_short_life"
}

# Published ids with their times, and what docs/migration.md says of their layouts.
@test "find: bits, tick and epoch from known ids" {
    run frazil layout find 136169504773242881=2024-01-11T18:08:59Z 452837411152461833=2026-06-03T14:14:12Z
    [[ ${lines[0]} == "bits below time 22" && ${lines[1]} == "tick            1 ms" ]]
    [[ ${lines[2]} == "epoch           2023-01-01T00:00:00.000Z  (1672531200000)" ]]
    [[ ${lines[3]} == "  possible from 2022-12-31T23:59:59."* && ${lines[4]} == "             to 2023-01-01T00:00:00."* ]]
    run frazil layout find 6817757662952818689=2020-04-20T11:41:44Z 6963640889373723909=2021-05-18T14:43:10Z
    [[ ${lines[0]} == "bits below time 32" && ${lines[1]} == "tick            1000 ms" && ${lines[2]} == *"(0)" ]]
    [[ ${lines[3]} == *"(-999)" && ${lines[4]} == *"(999)" ]]
    [[ $output == *"frazil inspect --layout '31/0/32 epoch=0 tick=1000ms'"* ]]
    [ "$(frazil layout find --json 387750301904971=2023-02-19T10:20:03.051Z 646093214093387=2025-02-18T10:20:03.097Z)" = \
        '{"bits_below_time":12,"tick_ms":1,"epoch":1582136402000,"epoch_from":1582136402000,"epoch_to":1582136402000}' ]
    fails 1 "too close together" frazil layout find 1=2020-01-01 2=2020-01-01
    fails 1 "no layout with the time above" frazil layout find 1=2020-01-01 2=2021-01-01
    fails 2 "takes 2 to 64 pairs" frazil layout find 1=2020-01-01
    fails 2 "takes pairs ID=TIME" frazil layout find 1 2
    fails 2 "expected a month" frazil layout find 1=2020-13-01 2=2021-01-01
}

# An id hides up to a tick of its time, and a time in whole seconds up to a second.
@test "find: the epoch lies where it is said to, and is that of a preset or a round one" {
    local layout epoch end found
    while read -r layout epoch end; do
        for shown in 's/[.][0-9]*Z$/Z/' ''; do
            found=$(frazil layout find --json "$(known "$layout" 2027-03-04T05:06:07.894Z)" "$(known "$layout" 2029-08-07T06:05:04.321Z)" \
                "$(known "$layout" 2028-12-31T23:59:59.999Z)")
            echo "$layout: $found"
            [ "$(json epoch_from <<<"$found")" -le "$epoch" ]
            [ "$(json epoch_to <<<"$found")" -ge "$epoch" ]
            [ -z "$end" ] || [ "$(json epoch <<<"$found")" = "$epoch" ]
        done
    done <<-'EOF'
	twitter                                1288834974657 preset
	sonyflake                              1409529600000 round
	41/10/12@epoch=2015-05-05T17:00:00Z    1430845200000 round
	41/10/12@epoch=1430845211123           1430845211123
	31/16/16@tick=1s@epoch=1430845211123   1430845211123
	EOF
    [[ $(frazil layout find 1541815603606036480=2022-06-28T16:07:40Z 1882000000000000000=2025-01-22T09:39:00Z) == *"(1288834974657), that of twitter"* ]]
    # A clock that was two seconds off: nothing suits both.
    [[ $(frazil layout find 387750301904971=2023-02-19T10:20:03.051Z 646093214093387=2025-02-18T10:20:04.197Z) == *"no epoch suits all pairs"* ]]
    # Epochs that nobody can have.
    fails 1 "no layout with the time above" frazil layout find 14757395258967641292=1970-01-01 14757395258967641293=1970-01-02
    fails 1 "no layout with the time above" frazil layout find 1=9223372036854775807 2=9223372036854000000
}

# known LAYOUT TIME: an id of that time with the largest number below it, and the time as shown; @ are blanks.
known() {
    local layout=${1//@/ } id
    id=$(frazil range --layout "$layout" "$2" "$2" | tail -n 1)
    echo "$id=$(sed "$shown" <<<"$2")"
}

@test "an epoch in seconds is told" {
    frazil layout '45/7/11 epoch=1565222400' | grep -qx ' *in milliseconds; if those were seconds, write epoch=1565222400000'
    [[ $(frazil layout '45/7/11 epoch=1565222400000') != *seconds,* ]]
    run --separate-stderr frazil range --layout flake 1565222400 now
    [ "$status" -eq 0 ]
    [[ $stderr == "frazil: FROM: 1565222400 is 1970-01-19T02:47:02.400Z in milliseconds; if those were seconds, write 1565222400000" ]]
}

# As in a spec, which has to quote it.
@test "quotes around a layout" {
    [ "$(frazil layout "'twitter epoch=2026-01-01'" | grep ^fingerprint)" = "fingerprint     41/5+5/12 epoch=1767225600000 tick=1ms" ]
    FRAZIL_LAYOUT="'twitter epoch=2026-01-01'" frazil inspect 5 | grep -q '^time  *2026-01-01T'
    FRAZIL_LAYOUT="'flake'" FRAZIL_EPOCH="'2026-01-01'" frazil inspect 5 | grep -q '^time  *2026-01-01T'
    FRAZIL_LAYOUT="'41/12/10 epoch=2026-01-01'" FRAZIL_WORKER="'fixed:4000'" FRAZIL_STATE=memory frazil next
    fails 2 "did you mean twitter epoch=2026-01-01?" frazil layout 'twiter epoch=2026-01-01'
}

# The first id with one more digit is made then, and none before.
@test "the day on which decimal texts grow" {
    local grows before
    frazil layout | tail -n +2 | while read -r name _; do
        grows=$(frazil layout --json "$name" | grep -o '"digits_grow":"[^"]*"' | cut -d '"' -f 4)
        [ -n "$grows" ] || continue
        digits=$(frazil layout --json "$name" | grep -o '"digits":[0-9]*' | cut -d : -f 2)
        [ "$(frazil range --layout "$name" "$grows" "$grows" | tail -n 1 | wc -L)" -eq $((digits + 1)) ]
        before=$(($(date -u -d "$grows" +%s%3N) - 1)) # lies in the tick before
        [ "$(frazil range --layout "$name" "$before" "$before" | tail -n 1 | wc -L)" -eq "$digits" ]
    done
    frazil layout frazil | grep -qE '^digits          18, and 19 from 2033-07-22T|^digits          19, for life'
    [[ $(frazil layout --json sno) != *digits* ]]
    [[ $(frazil layout '41/10/12 epoch=1900-01-01') != *digits* ]]
    frazil layout twitter | grep -qx 'digits          19, for life'
}

@test "pictures of snos and of sequence above worker" {
    [ "$(frazil layout sonyflake | sed -n 3p)" = "0 ttttttttttttttttttttttttttttttttttttttt ssssssss wwwwwwwwwwwwwwww" ]
    [ "$(frazil layout sno | sed -n 3p)" = "ttttttttttttttttttttttttttttttttttttttt k mmmmmmmm pppppppppppppppp" ]
    frazil layout sno | awk 'length($0) > 80 { exit 1 }'
    frazil layout 63/0/1 | awk 'length($0) > 80 { exit 1 }'
    [[ $(frazil layout --color=always sno) == *$'\e['* ]]
}

@test "JSON" {
    [[ $(frazil layout --json js53) == '{"layout":"js53","fingerprint":"'*'"fits_53_bits":true}' ]]
    [ "$(frazil layout --json | wc -l)" -eq "$(frazil layout | tail -n +2 | wc -l)" ]
    frazil layout --json twitter | grep -qF '"fields":[{"name":"zero","bits":1},{"name":"time","bits":41},{"name":"datacenter","bits":5},{"name":"worker","bits":5},{"name":"sequence","bits":12}]'
    frazil layout --json sonyflake | grep -qF '{"name":"sequence","bits":8},{"name":"worker","bits":16}]'
    frazil layout --json sno | grep -qF '"fields":[{"name":"time","bits":39},{"name":"ticktock","bits":1},{"name":"meta","bits":8},{"name":"partition","bits":16},{"name":"sequence","bits":16}]'
    frazil layout --json flake | grep -q '"sign_bit_from":"2039-09-07T15:47:35.552Z"'
}

@test "what is no layout is refused, with what would be right" {
    fails 2 "twitter" frazil layout nosuch
    fails 2 "" frazil layout 41/10
    fails 2 "" frazil layout 50/10/12
    fails 2 "" frazil layout '41/10/12 tack=1ms'
    fails 2 "--color takes" frazil layout --color=blue
    fails 2 "quote a description" frazil layout flake epoch=1300000000000
    fails 2 "--since is for layout overlap" frazil layout --since 2026-01-01 flake
}

# An earlier epoch is safe, a later one is not.
@test "overlap" {
    run frazil layout overlap twitter '41/10/12 epoch=2010-01-01' --since 2026-06-01
    [ "$status" -eq 0 ]
    [[ $output == "Safe: moving from twitter to "* ]]
    run frazil layout overlap twitter frazil --since 2026-06-01
    [ "$status" -eq 1 ]
    [[ $output == "Not safe: moving from twitter to frazil at 2026-06-01T00:00:00.000Z"*"equal and sort before"* ]]
    run frazil layout overlap sno sno
    [ "$status" -eq 0 ]
    run frazil layout overlap twitter frazil
    [ "$status" -eq 1 ]
}

@test "overlap: the instant from which it is safe, is" {
    local since safe
    since=2026-06-01
    safe=$(frazil layout overlap --json twitter frazil --since $since | json safe_from) || true
    [ -n "$safe" ]
    local old_last
    old_last=$(frazil layout overlap --json twitter frazil --since $since | json old_last) || true
    [ "$(frazil compose --time "$safe" -w 0 -s 0)" -gt "$old_last" ]
    [ "$(frazil compose --unix-ms $(($(frazil range --json "$safe" "$safe" | json first) / 4194304 + 1767225600000 - 1)) -w 0 -s 0)" -le "$old_last" ]
}

@test "overlap: never safe" {
    run frazil layout overlap twitter '36/10/12 epoch=2026-01-01' --since 2026-06-01
    [ "$status" -eq 1 ]
    [[ $output == *"New ids never exceed the old ones"* ]]
}

# Where new ids never get above the old ones, no epoch lifts them: the new layout's last ids are too small.
@test "overlap: never safe, whatever the epoch" {
    local epoch
    for epoch in 2026-01-01 2010-01-01 1970-01-01; do
        run frazil layout overlap frazil "js53 epoch=$epoch" --since 2026-11-21
        [ "$status" -eq 1 ]
        [[ $output == *"never exceed the old ones, whatever the epoch: "*"larger ids."* ]]
    done
}

# It is then that people ask.
@test "overlap: the old layout has ended" {
    local when
    for when in 2025-12-01T21:56:53.887Z 2026-06-01; do
        run frazil layout overlap '39/10/14 epoch=2008-07-01' '41/10/12 epoch=1995-01-01' --since $when
        [ "$status" -eq 1 ]
        [[ ${lines[0]} == "The old layout, 39/10/14 epoch=1214870400000 tick=1ms, ends at 2025-12-01T21:56:53.887Z: it may"*"all of its ids." ]]
        [[ ${lines[2]} == *"old ids reach to 9223372036854775807." ]]
    done
    run frazil layout overlap '39/10/14 epoch=2008-07-01' frazil --since 2025-11-01
    [[ $output != "The old"* ]]
}

@test "overlap: errors" {
    fails 2 "takes two layouts" frazil layout overlap twitter
    fails 2 "nosuch" frazil layout overlap twitter nosuch
    fails 1 "sno" frazil layout overlap twitter sno
    fails 1 "outside the life of the new layout frazil" frazil layout overlap twitter frazil --since 2010-11-05
    fails 1 "outside the life of the old layout frazil" frazil layout overlap frazil flake --since 2010-11-05
    fails 2 "--since: " frazil layout overlap twitter frazil --since never
}
