#!/bin/sh
# SPDX-License-Identifier: MIT
# names.sh ROOT: pages and comments name functions, types and numbers that there are.  A word frazil_x is a name of the
# public headers, of the build or of a metric.  In pages and files about bindings and databases it may also be a name of
# their C or SQL.  A word FRAZIL_X in a page is a number of the headers, a key as a variable, or stands in code.
# The change log tells of names that are gone.
set -eu
style=$(dirname "$(realpath "$0")")
tools=$style/../../tools
cd "$1"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sh "$tools/sources" all | grep -vE '^CHANGELOG\.md$|^tests/(style|api|mutants)/|^tests/conformance/shapes' >"$scratch/all"

# files PATTERN: those of the project whose path is so.
files() {
    grep -E "$1" "$scratch/all" || true
}

# words PATTERN [FILE...]: the words of this kind, of files or of the standard input.
words() {
    pattern=$1
    shift
    grep -ohE "\\b$pattern\\b" "$@" || true
}

# refuse KNOWN PATTERN FILE...: says where words of this kind are that are not known.
refuse() {
    known=$1 pattern=$2
    shift 2
    [ $# = 0 ] || grep -onHE "\\b$pattern\\b" "$@" | awk -F : -v known="$known" '
        BEGIN { while ((getline name < known) > 0) is_known[name] }
        !($3 in is_known) { print $1 ":" $2 ": there is no " $3 }'
}

lower='frazil_[a-z0-9_]*[a-z0-9]' upper='FRAZIL_[A-Z0-9_]*[A-Z0-9]'
find include -name '*.h' 2>/dev/null | LC_ALL=C sort | sed 's|^include/\(.*\)|#include <\1>|' >"$scratch/headers.h"
[ -s "$scratch/headers.h" ] || { echo "no header found"; exit 1; }
# shellcheck disable=SC2046 # lists of files
{
    for how in '-E -P' '-dM -E'; do
        # shellcheck disable=SC2086 # options
        "${CC:-cc}" -std=c11 -Iinclude $how -x c "$scratch/headers.h"
    done | words "($lower|$upper)"
    words "$lower" $(files 'CMakeLists\.txt$|\.cmake(\.in)?$|^programs/frazild/metrics\.c$') /dev/null
} | LC_ALL=C sort -u >"$scratch/known"

# shellcheck disable=SC2046
{
    cat "$scratch/known"
    awk -f "$style/strip.awk" $(files '^(bindings|databases)/.*\.[ch]$') /dev/null | words "$lower"
    words "$lower" $(files '^databases/.*\.(sql|pl|sh)$') /dev/null
} >"$scratch/known-beside"

# shellcheck disable=SC2046
{
    cat "$scratch/known"
    words "$upper" $(files '\.(c|h|cmake|sh|bats|py|go|rs|js|php|txt|json|in)$|Makefile|^tools/' | grep -vE '^(include|src)/') /dev/null
    sed -n 's/^ *X([A-Z_]*, *"\([a-z_]*\)"[,)].*/FRAZIL_\1/p' src/config/keys.h 2>/dev/null | tr '[:lower:]' '[:upper:]'
} >"$scratch/known-upper"

pages=$(files '\.md$|^man/')
code=$(files '^(include|src|programs|examples|bench|web|bindings|databases)/.*\.[ch]$')
about='^(bindings|databases)/|^docs/databases\.md$|^(CONTRIBUTING|README)\.md$' # which names their files
# shellcheck disable=SC2046,SC2086
wrong=$({
    refuse "$scratch/known" "$lower" $(printf '%s\n' $pages $code | grep -vE "$about")
    refuse "$scratch/known-beside" "$lower" $(printf '%s\n' $pages $code | grep -E "$about")
    refuse "$scratch/known-upper" "$upper" $pages
})
[ -z "$wrong" ] || { echo "$wrong" && exit 1; }
