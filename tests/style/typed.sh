#!/bin/sh
# SPDX-License-Identifier: MIT
# typed.sh ROOT: what a person typed goes into a complaint of the command through typed() or quoted(), which leave
# passwords out.  It goes into a sentence of the library by %q, %Q or %v, never by %s between quotes.
set -eu
cd "$1"

# shellcheck disable=SC2016 # awk has dollars too
find src programs -name '*.c' 2>/dev/null | sort | xargs awk '
    function wrong(why) { printf "%s:%d: %s\n", FILENAME, begins, why; bad = 1 }
    # A call of the three with its arguments, whose parentheses may hold others, becomes nothing.
    function without_calls(text,    at, depth, i, c) {
        while (match(text, /(^|[^a-z_])(typed|quoted|meant)\(/)) {
            at = RSTART + RLENGTH
            depth = 1
            for (i = at; depth > 0 && i <= length(text); i++) {
                c = substr(text, i, 1)
                if (c == "(") depth++
                if (c == ")") depth--
            }
            text = substr(text, 1, RSTART) substr(text, i)
        }
        return text
    }
    function without_strings(text) { gsub(/"([^"\\]|\\.)*"/, "", text); return text }
    function check(text) {
        if (text ~ /\\"%(\.\*)?s|\047%(\.\*)?s/)
            wrong("quotes what may have been typed by %s: use quoted() or typed() in the command, %q in the library")
        if (FILENAME ~ /^programs\// && without_calls(without_strings(text)) ~ \
            /argv\[[^0]|values\[|optarg|(->|\.)(text|file|spec)[^_a-z]|[^_a-z.>](path|url|spec|name|text)[,)]/)
            wrong("complains about what was typed without typed() or quoted(), which hide passwords")
    }
    FNR == 1 { files++; statement = "" }
    /(^|[^a-z_])(complain|fz_fail|fz_found|fail)\(/ && statement == "" { begins = FNR; statement = " " }
    statement != "" {
        statement = statement $0
        if ($0 ~ /;$|\{$/) { check(statement); statement = "" }
    }
    END {
        if (files == 0) { print "no source found"; bad = 1 }
        exit bad
    }'
