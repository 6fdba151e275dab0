#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: what README.md and the pages of docs/ show is what one gets.  In pages, each line `$ COMMAND` of a block
# that is marked `console` is run, and must print exactly what stands below it, standard error included.  Where ids and times
# are others each time, the block is marked `console varies`: then lines and words must be the same, and numbers need not.
# shellcheck disable=SC2016,SC2154 # $ stands in the pages; bats sets output

load helpers
load servers
load transcripts

setup() {
    leave_out
    root=$BATS_TEST_DIRNAME/../..
    cd "$BATS_TEST_TMPDIR"
    export FRAZIL_STATE=memory FRAZIL_RUN_DIR="$BATS_TEST_TMPDIR/run" FRAZIL_STATE_DIR="$BATS_TEST_TMPDIR/state"
    mkdir bin
    ln -s "$(command -v "$FRAZIL")" bin/frazil # for what pages run through a shell of its own
    PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

# shape: lines without their numbers, what stands in parentheses at their end, and how columns are filled.
shape() {
    sed 's/ *(.*//; s/[0-9][0-9]*/N/g; s/   */  /g'
}

# pages: README.md and all pages of docs/.
pages() {
    find "$root/README.md" "$root/docs" -name '*.md'
}

# same_again INFO PAGE: what the blocks with that mark show is what their commands print.  Adds to $count.
same_again() {
    blocks "$1" "$2" >shown
    [ -s shown ] || return 0
    replay <shown >printed
    if [ "$1" != console ]; then
        shape <shown >shown.shape
        shape <printed >printed.shape
        diff shown.shape printed.shape || { cat printed; return 1; }
    else
        diff shown printed
    fi
    count=$((count + $(grep -c '^\$ ' shown)))
}

@test "every console block prints what the page says" {
    local page count=0
    unset FRAZIL_STATE
    while read -r page; do
        cd "$(mktemp -d -p "$BATS_TEST_TMPDIR")"
        export FRAZIL_RUN_DIR=$PWD/.run FRAZIL_STATE_DIR=$PWD/.state
        echo "$page"
        same_again console "$page"
        same_again 'console varies' "$page"
    done < <(pages)
    echo "$count commands"
    [ "$count" -ge 10 ]
}

# README.md's are looked at below.  A mark behind `console` is one that a test asks for; incidents are brought
# about one by one (incidents.bats).
@test "every command of docs/ that has a prompt is run" {
    local page mark
    while read -r page; do
        awk '/^ *```/ { inside = !inside; run = /^```console/ } /^(    +|\t)?\$ / && !(inside && run) { print FILENAME ":" FNR ": " $0; bad = 1 }
             END { exit bad }' "$page"
        while read -r mark; do
            echo "$page: console $mark"
            [ "$mark" = incident ] || grep -qE "^[^#]*(told|console) '?$mark\b" "$BATS_TEST_DIRNAME"/*.bats
        done < <(sed -n 's/^```console //p' "$page" | sort -u)
    done < <(pages | grep '/docs/')
}

@test "the index leads to every page" {
    local page
    while read -r page; do
        echo "$page"
        grep -qF "]($page)" "$root/docs/README.md"
    done < <(cd "$root/docs" && find . -name '*.md' ! -path ./README.md | sed 's|^\./||')
}

@test "start.md: the ids of make run are of one tick, and are taken apart as shown" {
    blocks 'console demo' "$root/docs/start.md" >shown
    sed -n '/^\$ frazil next/,/^\$ frazil inspect/p' shown | grep '^[0-9]' >ids
    [ "$(wc -l <ids)" -eq 3 ]
    [ "$(frazil inspect --json <ids | json unix_ms | sort -u | wc -l)" -eq 1 ]
    sed -n '/^id /,/^sequence /p' shown | sed 's/ *(.*//' >expected
    frazil inspect "$(tail -n 1 ids)" | sed 's/ *(.*//' >actual
    same expected actual
}

# The demo's output today has the same lines with other numbers.
@test "start.md: make run ends like this" {
    unset FRAZIL_STATE
    blocks 'console demo' "$root/docs/start.md" | shape >expected
    [ -x "$(dirname "$FRAZIL")/frazild" ] || sed -i '/^\$ frazild/d; /listening:/d' expected
    mkdir -p build/web
    touch build/web/frazil.html
    sh "$root/tools/demo" "$FRAZIL" build/web/frazil.html 2>/dev/null | sed 's|file://.*/build|file:///opt/frazil/build|' | shape >actual
    same expected actual
    shape <expected | sed '$d' >shorter
    sh "$root/tools/demo" "$FRAZIL" nowhere 2>/dev/null | shape | sed '$d' | diff shorter -
}

# The host that has the name in the page, and the server's name in place of its own.
@test "README: the quick starts give ids" {
    serve redis
    blocks sh "$root/README.md" | sed -n '/^# One host/,$p' | grep '^frazil\|^FRAZIL' | sed "s|//db1/|//127.0.0.1:$port/|; s/ *#.*//" | head -n 4 >commands
    [ "$(wc -l <commands)" -eq 4 ]
    unset FRAZIL_STATE
    export FRAZIL_HOSTNAME=orders-3
    while read -r command; do
        echo "$command"
        eval "$command" >>ids
    done <commands
    [ "$(grep -c '^[0-9]*$' ids)" -eq 3 ]
    [ "$(sed -n 2p ids | frazil inspect --json | json worker)" = 3 ]
}

@test "README: the picture shows the id of start.md" {
    local id
    id=$(blocks 'console demo' "$root/docs/start.md" | sed -n 's/^\$ frazil inspect //p')
    grep -qF ">$id<" "$root/docs/id.svg"
    [ "$(blocks 'console demo' "$root/docs/start.md" | grep '^[01] ' | tr -d ' ')" = "$(frazil convert --to bin "$id" | tr -d ' ')" ]
}

@test "README: each make target exists" {
    local target
    while read -r target; do
        grep -q "^${target%-*}\(-%\)\{0,1\}:.*## \|^$target:.*## " "$root/Makefile"
    done < <(grep -oE '(^|`)make [a-z-]+' "$root/README.md" | sed 's/.*make //' | sort -u)
}

# A whole program, or what stands in a function after its #includes.
@test "what there is of C compiles" {
    local page count=0
    while read -r page; do
        blocks c "$page" >shown
        [ -s shown ] || continue
        if ! grep -q '^int main(void)$' shown; then
            printf '#include <%s>\n' err.h inttypes.h stdio.h frazil.h >head
            grep '^#include' shown >>head || true
            { cat head; printf 'int main(void)\n{\n'; grep -v '^#include' shown; echo "}"; } >body
            mv body shown
        fi
        cp shown snippet.c
        "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -fsyntax-only -I "$root/include" snippet.c
        count=$((count + 1))
    done < <(pages)
    [ "$count" -ge 2 ]
}

@test "the picture of an id is drawn from what the command says of it" {
    sh "$root/tools/picture" "$FRAZIL" | diff - "$root/docs/id.svg"
}
