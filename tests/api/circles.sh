#!/bin/sh
# SPDX-License-Identifier: MIT
# circles.sh OBJECT...: no objects need each other's functions and data in a circle.  style/circles looks at what they
# include; a header that several of them share can hide that one calls another.
set -eu

nm -A --format=posix "$@" | awk '
    function follow(object, way,    n, i, to, circle) {
        state[object] = "open"
        n = split(needs[object], to, " ")
        for (i = 1; i <= n; i++) {
            if (state[to[i]] == "open") {
                circle = substr(way " " object " ", index(way " " object " ", " " to[i] " ") + 1) to[i]
                gsub(/ /, " -> ", circle)
                print "a circle of objects: " circle " by " name[object, to[i]]
                bad = 1
            } else if (state[to[i]] == "")
                follow(to[i], way " " object)
        }
        state[object] = "done"
    }

    { object = $1; sub(/:$/, "", object); sub(/^.*\/src\//, "", object); sub(/CMakeFiles\/.*\.dir\//, "", object) }
    $3 == "U" { wanted[object, ++wants[object]] = $2; next }
    $3 ~ /^[A-TV-Z]$/ { owner[$2] = object; symbols++ }
    END {
        for (object in wants) {
            for (i = 1; i <= wants[object]; i++) {
                other = owner[wanted[object, i]]
                if (other == "" || other == object || (object, other) in name) continue
                name[object, other] = wanted[object, i]
                needs[object] = needs[object] " " other
            }
        }
        for (object in needs) if (state[object] == "") follow(object, "")
        if (symbols == 0) { print "no symbol found"; bad = 1 }
        exit bad
    }'
