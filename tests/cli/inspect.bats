# SPDX-License-Identifier: MIT
# Goal of this test: taking ids apart, for people, as JSON and by guessing.
# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; bats sets stderr
load helpers

ID=1541815603606036480

@test "for people: all fields and the age" {
    run frazil inspect --layout twitter $ID
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "id          $ID" ]
    [ "${lines[1]}" = "layout      twitter" ]
    [[ ${lines[2]} =~ ^time\ +2022-06-28T16:07:40.105Z\ +\([0-9]+\ years\ ago\)$ ]]
    [ "${lines[3]}" = "unix_ms     1656432460105" ]
    [ "${lines[4]}" = "worker      378  (number 26 in its datacenter)" ]
    [ "${lines[5]}" = "datacenter  11" ]
    [ "${lines[6]}" = "sequence    0" ]
    [ "${#lines[@]}" -eq 7 ]
}

@test "for people: snos" {
    run frazil inspect --layout sno ffffffffffffffffffff
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "text        xxxxxxxxxxxxxxxx" ]
    [ "${lines[1]}" = "hex         ffffffffffffffffffff" ]
    [ "${lines[2]}" = "uuid        ffffffff-ffff-8fff-bfff-fc0000000000" ]
    [[ ${lines[4]} == "time        2079-09-07T15:47:35.548Z  ("* ]]
    [ "${lines[6]} ${lines[7]} ${lines[8]} ${lines[9]}" = "ticktock    1 meta        255 partition   65535  (255,255) sequence    65535" ]
    run frazil inspect --layout sno --color=always 40000000000000000000
    [[ $output == *$'\e[36m010000000000000000000000000000000000000\e[0m'* ]]
}

@test "the future is called so" {
    frazil inspect "$(frazil compose --time 2090-01-01 -w 0 -s 0)" | grep -q "^time .* (in [0-9]* years: in the future)$"
}

# The preset is one that nobody named: what it may be of instead is shown without being asked for.
@test "an id of the future: the layouts that fit better" {
    run frazil inspect $ID
    [ "$status" -eq 0 ]
    [[ $output == *": in the future)"* ]]
    [[ $output == *"probably not an id of frazil.  It may be one of"* ]]
    grep -q "^   80  twitter .*2022-06-28T16:07:40.105Z .*378" <<<"$output"
    [[ ${lines[-1]} == "To decode it as one: frazil inspect --layout twitter" ]]
    frazil inspect --layout twitter $ID | grep -q '^time  *2022-06-28T16:07:40.105Z'
    [ "$(frazil inspect --json $ID | wc -l)" -eq 1 ]
    run frazil inspect --layout flake 18446744073709551615
    [[ ${lines[-1]} == *"No known layout fits it; name its layout with --layout." ]]
    # Within a day the clock may be wrong, and nothing is suggested.
    run frazil inspect "$(frazil compose --unix-ms $((($(date +%s) + 3600) * 1000)) -w 0 -s 0)"
    [[ $output == *": in the future)"* && $output != *"probably not"* ]]
    run frazil inspect --layout sno ffffffffffffffffffff
    [[ $output == *"probably not an id of sno."* ]]
}

@test "JSON: the keys and their order" {
    [ "$(frazil inspect --layout twitter --json $ID)" = '{"id":"1541815603606036480","layout":"twitter","time":"2022-06-28T16:07:40.105Z","unix_ms":1656432460105,"worker":378,"datacenter":11,"sequence":0}' ]
    [ "$(frazil inspect --json 0)" = '{"id":"0","layout":"frazil","time":"2026-01-01T00:00:00.000Z","unix_ms":1767225600000,"worker":0,"sequence":0}' ]
    [ "$(frazil inspect --layout sno --json a222222222222222)" = '{"text":"a222222222222222","hex":"40000000000000000000","uuid":"40000000-0000-8000-8000-000000000000","time":"2027-06-03T21:56:53.888Z","unix_ms":1812059813888,"ticktock":0,"meta":0,"partition":0,"partition_text":"0,0","sequence":0}' ]
}

@test "a layout can be a description with its keys" {
    frazil inspect --json --layout 'flake epoch=1300000000000' 4794480928292039691 | grep -q '"unix_ms":2443093330452,"worker":950,"datacenter":29,"sequence":3083}'
    frazil inspect --json --layout '41/12/10 epoch=2026-01-01T00:00:00Z' 1023 | grep -q '"layout":"41/12/10 epoch=1767225600000 tick=1ms".*"sequence":1023}'
}

@test "the layout can come from the environment" {
    [ "$(FRAZIL_LAYOUT=twitter frazil inspect --json $ID)" = "$(frazil inspect --layout twitter --json $ID)" ]
    [ "$(FRAZIL_LAYOUT=flake FRAZIL_EPOCH=1300000000000 frazil inspect --json 5)" = "$(frazil inspect --layout 'flake epoch=1300000000000' --json 5)" ]
    [ "$(FRAZIL_LAYOUT=twitter frazil inspect --layout frazil --json 5)" = "$(frazil inspect --json 5)" ]
    FRAZIL_LAYOUT=nosuch fails 2 "FRAZIL_LAYOUT: " frazil inspect 5
}

# A form is recognised where it can be one id only.
@test "forms are recognised" {
    local form text
    for form in dec hex bin bytes; do
        text=$(frazil convert --to $form $ID)
        [ "$(frazil inspect --layout twitter --json "$text" | json id)" = $ID ]
    done
    [ "$(frazil inspect --json 0xff | json id)" = 255 ]
    [ "$(frazil inspect --json "$(frazil convert --to crockford $ID)" | json id)" = $ID ]
    [ "$(frazil inspect --json f_________8 | json id)" = 9223372036854775807 ]
    [ "$(frazil inspect --layout sno --json 40000000000000000000 | json text)" = a222222222222222 ]
    [ "$(frazil inspect --json 00000000000000000012 | json id)" = 12 ]
}

@test "forms that are in doubt are listed, and --form decides" {
    fails 1 "base62 or base64url: say which" frazil inspect 0000000wPeA
    fails 1 "it can be base58 or base36: say which, with --form" frazil inspect abc
    [ "$(frazil inspect --form base36 --json abc | json id)" = 13368 ]
    fails 1 "not an id in any known form" frazil inspect 'a b c'
    fails 2 "--form takes one of dec" frazil inspect --form base17 5
    fails 1 "--layout sno" frazil inspect --layout twitter --form sno a222222222222222
    fails 1 "its forms are sno, uuid, hex and bytes, not dec" frazil inspect --layout sno --form dec 5
}

# Ids of the RFC, of the makers' own pages, and of the specification of ULIDs.
@test "UUIDs, ULIDs, KSUIDs and ObjectIds are named, with their time" {
    local because
    while read -r id because; do
        echo "$id"
        fails 1 "it is $because not a 64-bit id" frazil inspect "$id"
        fails 1 "it is $because not a 64-bit id" frazil inspect --guess "$id"
        fails 1 "it is $because not a 64-bit id" frazil convert --to hex "$id"
    done <<-EOT
	017F22E2-79B0-7CC3-98C4-DC0C0C07398F a UUID of version 7, made at 2022-02-22T19:22:22.000Z,
	C232AB00-9414-11EC-B3C8-9F6BDECED846 a UUID of version 1, made at 2022-02-22T19:22:22.000Z,
	1EC9414C-232A-6B00-B3C8-9F6BDECED846 a UUID of version 6, made at 2022-02-22T19:22:22.000Z,
	919108f7-52d1-4320-9bac-f847db4148a8 a UUID of version 4, which has no time,
	01ARZ3NDEKTSV4RRFFQ69G5FAV a ULID, made at 2016-07-30T23:54:10.259Z,
	0ujtsYcgvSTl8PAuAdqWYSMnLOv a KSUID, made at 2017-10-10T04:00:47.000Z,
	507f1f77bcf86cd799439011 an ObjectId of MongoDB, made at 2012-10-17T21:13:27.000Z,
	EOT
    # Digits alone are a decimal id with too many of them.
    for id in 436677378048286723456789 43667737804828672345678901 436677378048286723456789012; do
        fails 1 "it is above 2^64 - 1, the largest id" frazil inspect "$id"
    done
    fails 1 "not an id in any known form" frazil inspect zzzzzzzzzzzzzzzzzzzzzzzzzzz
    fails 1 "not an id in any known form" frazil inspect 81ARZ3NDEKTSV4RRFFQ69G5FAV
}

@test "a sno as UUID, 0x and hexadecimal without padding" {
    local uuid=3bfcd3a8-0000-8410-a800-000000000000
    [ "$(frazil inspect --json $uuid | json partition)" = 16650 ]
    [ "$(frazil inspect --json "${uuid^^}" | json text)" = 9hwf9c22232im222 ]
    [ "$(frazil inspect --json --form uuid $uuid | json uuid)" = $uuid ]
    [[ $(frazil inspect --guess $uuid | sed -n 3p) == *" sno       uuid "* ]]
    fails 1 "version 4; a sno's is of version 8" frazil inspect --form uuid 3bfcd3a8-0000-4410-a800-000000000000
    fails 1 "it is a UUID of version 4, which has no time" frazil inspect 3bfcd3a8-0000-4410-a800-000000000000
    fails 1 "the form uuid is for snos" frazil inspect --layout twitter --form uuid $uuid
    [ "$(frazil inspect --json 0x5325a4db6000002 | json id)" = 374461008837607426 ]
    [ "$(frazil inspect --json --form hexshort ff | json id)" = 255 ]
    fails 1 "leading zero" frazil inspect --form hexshort 0ff
    fails 1 "begins with 0x" frazil inspect --form hex0x ff
    # hexshort is never guessed: this text was base58 or base36 before there was such a form, and still is.
    fails 1 "base58 or base36: say which" frazil inspect abc
}

@test "a text that can only be a sno is one, unless another layout is named" {
    run frazil inspect 9q7c4c3422r34222
    [ "$status" -eq 0 ]
    [[ $output == *"layout      sno"* ]]
    run frazil inspect 3e0aa1282e0032160000
    [[ $output == *"layout      sno"* ]]
    fails 1 "looks like a sno: use --layout sno" frazil inspect --layout twitter 9q7c4c3422r34222
    FRAZIL_LAYOUT=twitter fails 1 "looks like a sno: use --layout sno" frazil inspect 9q7c4c3422r34222
}

@test "what is no id of the layout is refused" {
    fails 1 "it is not an id of the layout frazil, whose largest is 9223372036854775807" frazil inspect 9223372036854775808
    fails 1 "it is not an id of the layout js53" frazil inspect --layout js53 9007199254740992
    fails 1 "position" frazil inspect --form dec 12x4
    fails 1 "" frazil inspect 18446744073709551616
    fails 1 "" frazil inspect --layout sno a22222222222222z
    fails 1 "" frazil inspect --layout sno a2222222222222
    fails 1 "position 20" frazil inspect --layout sno 4000000000000000000g
}

# ---- guessing -----------------------------------------------------------------

@test "--guess: the right preset is on top, the impossible below" {
    run frazil inspect --guess $ID
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = $ID ]
    [[ ${lines[2]} == *" twitter "*2022-06-28T16:07:40.105Z* ]]
    [[ $output == *"  0  js53 "*"it has bits above the layout's fields"* ]]
    [[ $output == *"15  flake "*"its time is before such ids existed"* ]]
    [[ $output == *" 0  frazil "*"its time is far in the future"* ]]
}

# Beside the presets there are six other generators.
@test "--guess: scores descend, every preset is there" {
    frazil inspect --guess $ID | tail -n +3 | awk '{ print $1 }' | sort -c -n -r
    [ "$(frazil inspect --guess $ID | tail -n +3 | wc -l)" -eq $(($(frazil layout | tail -n +2 | wc -l) - 1 + 6)) ]
}

@test "--guess: one's own layout is a candidate, from the option and from the environment" {
    local layout='41/12/10 epoch=2020-05-05' id row
    id=$(frazil compose --layout "$layout" --time 2024-01-01 -w 3000 -s 5)
    row="  100  yours     dec       2024-01-01T00:00:00.000Z   3000        5  its time is past, its sequence small"
    row+=": --layout '41/12/10 epoch=1588636800000 tick=1ms'"
    [[ $(frazil inspect --guess --layout "$layout" $id) == *"$row"* ]]
    [[ $(FRAZIL_LAYOUT=$layout frazil inspect --guess $id) == *"$row"* ]]
    [[ $(frazil inspect --guess --json --layout "$layout" $id) == *'{"layout":"41/12/10 epoch=1588636800000 tick=1ms","of":"yours","score":'* ]]
    [[ $(frazil inspect --guess $id) != *yours* ]]
    # A layout that is named comes before those whose times are possible by chance, also a preset.
    [[ $(frazil inspect --guess --layout mastodon 112213355558888888 | awk 'NR == 3 { print $1, $2 }') == "100 mastodon" ]]
    [[ $(frazil inspect --guess --layout twitter $id) != *yours* ]]
    fails 2 "nosuch" frazil inspect --guess --layout nosuch $id
}

# Each as it was published, with its time: docs/migration.md says where.  That of baidu is of the last second that its
# source names, 2024-11-20 21:24:16 in China.
@test "--guess: ids of other generators" {
    local name id time
    while read -r name id time; do
        [[ $(frazil inspect --guess $id) == *" $name "*"$time"* ]]
        frazil inspect --guess $id | awk -v name=$name '$2 == name { found = $1 >= 60 } END { exit !found }'
    done <<-'EOF'
	tsid     38390726480144748   2020-04-15T22:31:02.458Z
	pgedge   136169504773242881  2024-01-11T18:08:59.845Z
	sharding 452837411152461833  2020-04-03T14:14:12.131Z
	yitter   387750301904971     2023-02-19T10:20:03.051Z
	baidu    9223372002495037440 2024-11-20T13:24:15.000Z
	tiktok   6963640889373723909 2021-05-18T14:43:10.000Z
	post     6318971194909560123 2017-09-28T00:55:33.674Z
	twitter  1531830571133603843 2022-06-01T02:50:42.851Z
	EOF
}

# Node 1 and its first id of a millisecond, as its source has it since version 1.2; before, the count stood above the node.
@test "--guess: the node of pgEdge stands above its count" {
    frazil inspect --guess 136169504773246976 | awk '$2 == "pgedge" { found = $5 == 1 && $6 == 0 } END { exit !found }'
}

# Its sequence is a hash.
@test "--guess: an id of Mastodon is not below those that fit by chance" {
    [[ $(frazil inspect --guess 109379014528862147 | awk '$2 == "mastodon" || $2 == "twitter" { print $2; exit }') == mastodon ]]
}

@test "--guess: small numbers are no ids, snos are recognised" {
    frazil inspect --guess 12345 | tail -n +3 | awk '$1 > 20 { exit 1 }'
    [[ $(frazil inspect --guess "$(frazil next layout=sno worker=fixed:1)" | sed -n 3p) == *" sno "* ]]
    [[ $(frazil inspect --guess "$(frazil next layout=sno worker=fixed:1 --form hex)" | sed -n 3p) == *" sno       hex "* ]]
    [[ $(frazil inspect --guess "$(frazil next worker=fixed:1)" | sed -n 3p) == *" frazil "* ]]
}

# Sixteen hex digits without 0, 1 can be either.
@test "--guess: all readings of a text" {
    local text
    text=$(frazil inspect --guess --json 2222222222222f22)
    [[ $text == *'"form":"hex"'* && $text == *'"form":"sno"'* ]]
    fails 1 "not an id in any known form" frazil inspect --guess '?'
    fails 1 "" frazil inspect --guess --form dec x
    frazil inspect --guess --json --form base36 abc | grep -q '"id":"13368"'
    [ "$(frazil inspect --guess 5 6 | grep -c '^$')" -eq 1 ]
    frazil inspect --guess "$(frazil compose --unix-ms $((($(date +%s) + 200000) * 1000)) -w 0 -s 0)" | grep -q "^    5  frazil .*its time is in the future"
}

@test "--guess --json: one object" {
    [[ $(frazil inspect --guess --json $ID) == '{"input":"1541815603606036480","guesses":[{"layout":"twitter","score":80,"reason":"its time is past, its sequence small","form":"dec","id":"1541815603606036480","time":"2022-06-28T16:07:40.105Z","unix_ms":1656432460105,"worker":378,"sequence":0},'*']}' ]]
}

# ---- rounded ------------------------------------------------------------------

# awk has doubles: the first and the last are the same one as the id, their neighbours are not.
@test "--rounded: all ids that are the same double, and no other" {
    local id first last double
    double='{ printf "%.17g\n", $1 }'
    for id in 119525356527943744 119525356527943741 119525356527943001 9007199254740995 9007199254740992 9007199254740993 4503599627370497 144115188075855872 1541815603606036480; do
        first=$(frazil inspect --rounded --json $id | json first)
        last=$(frazil inspect --rounded --json $id | json last)
        [ "$(awk "$double" <<<$first)" = "$(awk "$double" <<<$id)" ]
        [ "$(awk "$double" <<<$last)" = "$(awk "$double" <<<$id)" ]
        [ "$(awk "$double" <<<$((first - 1)))" != "$(awk "$double" <<<$id)" ]
        [ "$(awk "$double" <<<$((last + 1)))" != "$(awk "$double" <<<$id)" ]
    done
    [ "$(frazil inspect --rounded 119525356527943741)" = "119525356527943736 to 119525356527943752  (2026-11-26T19:51:05.670Z to 2026-11-26T19:51:05.670Z)" ]
    [ "$(frazil inspect --rounded 5)" = "5 to 5  (2026-01-01T00:00:00.000Z to 2026-01-01T00:00:00.000Z)" ]
    [ "$(frazil inspect --rounded --layout flake 18446744073709551615)" = "18446744073709550592 to 18446744073709551615  (2109-05-15T07:35:11.103Z to 2109-05-15T07:35:11.103Z)" ]
    [ "$(frazil inspect --rounded 0)" = "0 to 0  (2026-01-01T00:00:00.000Z to 2026-01-01T00:00:00.000Z)" ]
    fails 1 "a sno is not a number" frazil inspect --rounded --layout sno a222222222222222
}

# Excel shows the first, jq 1.6 prints the second one; awk tells a double of so many digits from its neighbours.
@test "--rounded: the text of a double is one, also with fewer digits" {
    range() { frazil inspect --rounded "$1" | sed 's/  (.*//'; }

    [ "$(range 1.19525E+17)" = "119524499999999992 to 119525500000000999" ]
    [ "$(range 1.1952535652794374e+17)" = "119525356527943736 to 119525356527943752" ]
    [ "$(range 119525356527943741.0)" = "119525356527943736 to 119525356527943752" ]
    [ "$(range 1.1952535652794374000000e+17)" = "119525356527943736 to 119525356527943752" ]
    [ "$(range 119525356527943744.000000)" = "119525356527943736 to 119525356527943752" ]
    [ "$(range 1e17)" = "49999999999999996 to 150000000000000999" ]
    [ "$(range 1.8e1)" = "18 to 18" ]
    [ "$(range 0.0)" = "0 to 0" ]
    [ "$(range 1.8446744073709552e19)" = "18446744073709550592 to 18446744073709551615" ]
    [ "$(range 1.8e19)" = "17499999999999998976 to 18446744073709551615" ]
    [ "$(frazil inspect --rounded --form dec 1.8e1 | sed 's/  (.*//')" = "18 to 18" ]
    for text in 18.5 1.9e19 1.2e+40 1e5000 1e-5000 1.8446744073709556e19 1.17539474312790032000001e+17; do
        fails 1 "no id rounds to this number: ids are whole numbers, from 0 to 2^64 - 1" frazil inspect --rounded $text
    done
    fails 1 "it is a BigInt" frazil inspect --rounded 119525356527943741n
}

# JavaScript shows 2^64 as the first, C as the second one: the double of the largest ids.
@test "--rounded: digits that are 2^64 as a double are the largest ids" {
    for text in 18446744073709552000 18446744073709551616 18446744073709553664; do
        [[ $(frazil inspect --rounded $text) == "18446744073709550592 to 18446744073709551615  "* ]]
        [[ $(frazil inspect --rounded --form dec $text) == "18446744073709550592 to 18446744073709551615  "* ]]
        fails 1 "it is above 2^64 - 1" frazil inspect $text
    done
    for text in 18446744073709553665 19000000000000000000 117539474312790037117539474312790037; do
        fails 1 "it is above 2^64 - 1, the largest id: it may be a UUID" frazil inspect --rounded $text
    done
}

@test "--rounded: a number that ends in zeros after its 15th digit may be a spreadsheet's, which cuts" {
    [ "$(frazil inspect --rounded 117539474312790000)" = "117539474312789993 to 117539474312790999  (2026-11-21T08:19:54.453Z to 2026-11-21T08:19:54.454Z; of a double, or cut to 15 digits by a spreadsheet)" ]
    range() { frazil inspect --rounded "$@" | sed 's/  (.*//'; }
    [ "$(range 1.17539474312790E+17)" = "117539474312789496 to 117539474312790999" ]
    [ "$(range 1541815603606030)" = "1541815603606030 to 1541815603606039" ]
    [ "$(range --layout flake 18446744073709500000)" = "18446744073709499393 to 18446744073709551615" ]
    # 15 digits or less, digits after them, and other forms are not a spreadsheet's.
    for text in 154181560360000 117539474312790030 "--form hex 01a19556c11c0000"; do
        [[ $(frazil inspect --rounded $text) != *spreadsheet* ]]
    done
    [[ $(frazil inspect --rounded --json 117539474312790000) == *',"rounded_by":"double or spreadsheet"}' ]]
    [[ $(frazil inspect --rounded --json 117539474312790030) == *',"rounded_by":"double"}' ]]
}

# 2^64 - 1541815603606036480 and so on: a signed number is rounded by its own size.
@test "--rounded: signed numbers" {
    range() { frazil inspect --rounded --layout flake "$@" | sed 's/  (.*//'; }
    [ "$(range -- -1.5418156036060365e+18)" = "16904928470103515008 to 16904928470103515264" ]
    [ "$(range --form signed -- -1541815603606036480)" = "16904928470103515008 to 16904928470103515264" ]
    [ "$(range --form signed -- -5)" = "18446744073709551611 to 18446744073709551611" ]
    [ "$(range --form signed -- -9.223372036854776e18)" = "9223372036854775808 to 9223372036854776320" ]
    [ "$(range --form signed 9223372036854775807)" = "9223372036854775296 to 9223372036854775807" ]
    [ "$(range --form signed 9.2233720368547758e18)" = "9223372036854775296 to 9223372036854775807" ]
    [ "$(range --form signed -- -117539474312790000)" = "18329204599396760617 to 18329204599396761623" ]
    fails 1 "no id rounds to this number" frazil inspect --rounded -- -1.5e19
    fails 1 "no id rounds to this number" frazil inspect --rounded --form signed 1.8e19
    fails 1 "it is a double" frazil inspect -- -1.5e18
    fails 1 "use --form signed" frazil inspect --rounded -- -5
}

# ---- on a terminal ---------------------------------------------------------------

# A terminal gets colours and the picture, a pipe neither, unless told.
@test "a terminal gets a picture" {
    command -v script >/dev/null || skip "there is no script(1)"
    export FRAZIL TERM=xterm
    [[ $(script -qec '"$FRAZIL" inspect --layout twitter 1541815603606036480' /dev/null </dev/null) == *$'\e[36m00101010110010110100001000111110110001000\e[0m'* ]]
    [[ $(NO_COLOR=1 script -qec '"$FRAZIL" inspect 5' /dev/null </dev/null) != *$'\e'* ]]
    [[ $(TERM=dumb script -qec '"$FRAZIL" inspect 5' /dev/null </dev/null) != *$'\e'* ]]
    [[ $(script -qec '"$FRAZIL" inspect --color never 5' /dev/null </dev/null) != *$'\e'* ]]
    [[ $(frazil inspect --layout twitter $ID) != *$'\e'* ]]
}

@test "--color=always: the bits under their names" {
    run frazil inspect --layout twitter --color=always $ID
    [ "${lines[7]}" = $'\e[90m0\e[0m \e[36m00101010110010110100001000111110110001000\e[0m \e[35m01011\e[0m \e[33m11010\e[0m \e[32m000000000000\e[0m' ]
    [[ ${lines[8]} == *"time 41"*"dc 5"*"wkr 5"*"sequence 12"* ]]
    [[ $(NO_COLOR=1 frazil inspect --color=always 5) == *$'\e'* ]]
    fails 2 "--color takes auto, always or never" frazil inspect --color=blue 5
}

@test "blocks are set apart" {
    [ "$(frazil inspect 1 2 | grep -c '^$')" -eq 1 ]
}

@test "each text form, as convert writes it" {
    for form in dec dec20 hex crockford base36 base58 base62 base64url bin bytes hex0x hexshort signed; do
        expected=$(frazil convert --to $form $ID)
        frazil inspect --forms $ID | grep -qx "$form  *$expected"
        [ "$(frazil inspect --json --forms $ID | sed 's/.*"forms":{/{/; s/}}$/}/' | json $form)" = "$expected" ]
    done
    frazil inspect --layout sno --json --forms a222222222222222 | grep -qF '"forms":{"hex":"40000000000000000000","bytes":"40000000000000000000","sno":"a222222222222222","uuid":"40000000-0000-8000-8000-000000000000"}}'
    [[ $(frazil inspect --json $ID) != *forms* ]]
}
