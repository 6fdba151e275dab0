#!/bin/sh
# SPDX-License-Identifier: MIT
# circles.sh ROOT: who needs whom has a direction.
# - Two units do not need each other, through others neither.  A unit is NAME.c with NAME.h and NAME_internal.h; it needs
#   another one whose header it includes.  A header alone is no unit: it only passes on what it includes.
# - Neither do two rooms, which are folders.
# shellcheck disable=SC2016 # awk has dollars too
set -eu
cd "$1"

find include src programs bench tests/lib -name '*.[ch]' 2>/dev/null | LC_ALL=C sort | xargs awk '
    # unit FILE: its name without what differs between header and source.
    function unit(file) { sub(/(_internal)?\.[ch]$/, "", file); return file }
    function room(file) { sub(/\/[^\/]*$/, "", file); return file }

    # The file that an include means, as the folders for includes have it; "" for one of the system.
    function meant(name,    n, i, places) {
        n = split(room(FILENAME) "/|src/|src/coordinators/|include/|programs/frazil/|tests/", places, "|")
        for (i = 1; i <= n; i++)
            if ((places[i] name) in files) return places[i] name
        return ""
    }
    function needs(graph, from, to) {
        if (from == to || (graph, from, to) in known) return
        known[graph, from, to] = 1
        arrows[graph, from] = arrows[graph, from] " " to
        places[graph, from, to] = FILENAME ":" FNR
    }

    # Follows the arrows from a node; says the first way that comes back to where it has been.
    function follow(graph, node, way,    n, i, to, circle) {
        state[graph, node] = "open"
        n = split(arrows[graph, node], to, " ")
        for (i = 1; i <= n; i++) {
            if (state[graph, to[i]] == "open") {
                circle = substr(way " " node " ", index(way " " node " ", " " to[i] " ") + 1) to[i]
                gsub(/ /, " -> ", circle)
                print places[graph, node, to[i]] ": a circle of " graph "s: " circle
                bad = 1
            } else if (state[graph, to[i]] == "")
                follow(graph, to[i], way " " node)
        }
        state[graph, node] = "done"
    }

    BEGIN {
        for (i = 1; i < ARGC; i++) {
            files[ARGV[i]] = 1
            if (ARGV[i] ~ /\.c$/) units[unit(ARGV[i])] = 1
        }
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        name = $0
        sub(/^[^"]*"/, "", name)
        sub(/".*/, "", name)
        file = meant(name)
        if (file == "") next
        includes++
        if (unit(FILENAME) in units && unit(file) in units) needs("unit", unit(FILENAME), unit(file))
        # frazil.h gathers the headers beside it, which is what it is for; a part of a room may lie in a folder below it.
        if (file !~ /^include/ && index(room(FILENAME), room(file) "/") != 1) needs("room", room(FILENAME), room(file))
    }
    END {
        if (includes == 0) { print "no include found at all"; exit 1 }
        for (node in arrows) {
            split(node, key, SUBSEP)
            if (state[node] == "") follow(key[1], key[2], "")
        }
        exit bad
    }'
