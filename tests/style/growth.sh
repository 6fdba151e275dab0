#!/bin/sh
# SPDX-License-Identifier: MIT
# growth.sh ROOT: what later versions add breaks no program that is compiled already.  A struct of include/ that a caller
# allocates can grow: a function that fills it takes its size, its member `size` says it, or it has a member `reserved`.  Or
# the comment above it says that it does not grow, or has room to.  No macro counts a list that grows; no argument is a
# bool, in place of which a flag leaves room for another.
set -eu
style=$(dirname "$(realpath "$0")")
cd "$1"

headers=$(find include -name '*.h' 2>/dev/null | LC_ALL=C sort)
[ -n "$headers" ] || { echo "no struct found"; exit 1; }

{
    # shellcheck disable=SC2086 # a list of files
    awk -f "$style/strip.awk" $headers | sed 's/^/code:/'
    # shellcheck disable=SC2086
    awk '{ print "text:" FILENAME ":" FNR ":" $0 }' $headers
} | awk '
    function fault(what) { print what; bad = 1 }
    # Takes KIND:FILE:LINE: off.
    {
        kind = substr($0, 1, 4)
        rest = substr($0, 6)
        file = rest
        sub(/:.*/, "", file)
        sub(/^[^:]*:/, "", rest)
        line = rest + 0
        sub(/^[0-9]*:/, "", rest)
        at = file ":" line
    }
    kind == "code" {
        if (match(rest, /#define FRAZIL_[A-Z_]*_COUNT( |$)/)) {
            macro = substr(rest, RSTART + 8)
            sub(/ .*/, "", macro)
            fault(at ": " macro " counts a list that grows: end the list, or return how long it is")
        }
        if (rest ~ /^FRAZIL_API/) statement = ""
        statement = statement " " rest
        if (rest !~ /;/) next
        if (statement ~ /FRAZIL_API/) read_prototype(statement)
        statement = ""
        next
    }
    # The function, and the structs that it fills as far as a size says.
    function read_prototype(text,    name, arguments) {
        arguments = text
        sub(/^[^(]*\(/, "", arguments)
        sub(/\) *(FRAZIL_NONNULL.*)?;.*/, "", arguments)
        name = text
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        if ((", " arguments) ~ /, *(const )?bool /)
            fault(at ": " name "() has a bool argument: make it a flag")
        gsub(/ +/, " ", arguments)
        while (match(arguments, /frazil_[a-z_]+ \*ret[a-z_]*, size_t size/)) {
            filled = substr(arguments, RSTART, RLENGTH)
            sub(/ .*/, "", filled)
            sized[filled]
            arguments = substr(arguments, RSTART + RLENGTH)
        }
    }
    # The comment above a struct, and its members.
    rest ~ /^\/\*/ { comment = "" }
    rest ~ /^(\/\*| \*)/ { comment = comment " " rest; next }
    rest ~ /^typedef struct [a-z_]+ \{/ {
        split(rest, words, " ")
        struct = words[3]
        place[++structs] = at
        named[structs] = struct
        flat = comment
        gsub(/[* ]+/, " ", flat)
        if (flat ~ /(does|do) not grow|room to grow/ ) grows[struct]
        next
    }
    rest ~ /^}/ { struct = "" }
    struct != "" && rest ~ /^ +size_t size;/ { grows[struct] }
    struct != "" && rest ~ /^ +[a-z0-9_]+ reserved(\[[0-9]+\])?;/ { grows[struct] }
    struct != "" && rest ~ /room to grow/ { grows[struct] }
    rest !~ /^(\/\*| \*)/ { comment = "" }
    END {
        if (structs == 0) fault("no struct found")
        for (i = 1; i <= structs; i++)
            if (!(named[i] in grows) && !(named[i] in sized))
                fault(place[i] ": " named[i] " cannot grow: it has no size, nothing reserved, and does not say so")
        exit bad
    }'
