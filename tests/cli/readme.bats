#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: what README.md and the pages of docs/ show is what one gets.  In pages, each line `$ COMMAND` of a block
# that is marked `console` is run, and must print exactly what stands below it, standard error included.
# shellcheck disable=SC2016,SC2154 # $ stands in the pages; bats sets output

load helpers

setup() {
    root=$BATS_TEST_DIRNAME/../..
    cd "$BATS_TEST_TMPDIR"
    export FRAZIL_STATE=memory FRAZIL_RUN_DIR="$BATS_TEST_TMPDIR/run" FRAZIL_STATE_DIR="$BATS_TEST_TMPDIR/state"
}

# blocks LANGUAGE PAGE: the lines of its fenced blocks that are marked with LANGUAGE, or not at all.
blocks() {
    awk -v fence='```'"$1" '/^```/ { inside = inside ? 0 : $0 == fence ? 1 : 2; next } inside == 1' "$2"
}

# replay: a transcript on standard input again, with what the commands print now.  No $ line, no output.
replay() {
    local line
    while IFS= read -r line; do
        if [[ $line == '$ '* ]]; then
            echo "$line"
            eval "${line#'$ '}" 2>&1 </dev/null || true
        fi
    done
}

@test "every console block prints what the page says" {
    local page count=0
    while read -r page; do
        blocks console "$page" >shown
        [ -s shown ] || continue
        replay <shown >printed
        diff shown printed
        count=$((count + $(grep -c '^\$ ' shown)))
    done < <(find "$root/README.md" "$root/docs" -name '*.md')
    echo "$count commands"
    [ "$count" -ge 10 ]
}

@test "README: the ids of make run are of one tick, and are taken apart as shown" {
    blocks '' "$root/README.md" >shown
    sed -n '/^\$ frazil next/,/^\$ frazil inspect/p' shown | grep '^[0-9]' >ids
    [ "$(wc -l <ids)" -eq 5 ]
    [ "$(frazil inspect --json <ids | json unix_ms | sort -u | wc -l)" -eq 1 ]
    sed -n '/^id /,$p' shown | sed 's/ *(.*//' >expected
    frazil inspect "$(tail -n 1 ids)" | sed 's/ *(.*//' >actual
    same expected actual
}

# What the demo prints now has the same lines with other numbers.
@test "README: make run ends like this" {
    unset FRAZIL_STATE
    shape() { sed 's/ *(.*//; s/[0-9][0-9]*/N/g'; }
    blocks '' "$root/README.md" | shape >expected
    sh "$root/tools/demo" "$FRAZIL" 2>/dev/null | shape >actual
    same expected actual
}

@test "README: each make target exists" {
    local target
    while read -r target; do
        grep -q "^$target:.*## " "$root/Makefile"
    done < <(grep -oE '(^|`)make [a-z-]+' "$root/README.md" | sed 's/.*make //' | sort -u)
}

@test "README: the piece of C compiles" {
    {
        printf '#include <err.h>\n#include <inttypes.h>\n#include <stdio.h>\nint main(void)\n{\n'
        blocks c "$root/README.md" | grep -v '^#include'
        echo "}"
    } >body
    { blocks c "$root/README.md" | grep '^#include' && cat body; } >snippet.c
    "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -fsyntax-only -I "$root/include" snippet.c
}
