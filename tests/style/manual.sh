#!/bin/sh
# SPDX-License-Identifier: MIT
# manual.sh ROOT: the manual is complete, and says what is so.
# - Each exported function has a page, which tools/man-pages writes; mandoc, where it is, has nothing to say against one.
# - docs/ERRORS.md has a row for each error, with its number; frazil.spec(5) has each key.
# - Sections that a page refers to with Sx are its own, and no page refers to one of ours that there is not.
set -eu
tools=$(dirname "$(realpath "$0")")/../../tools
cd "$1"

errors=$(sed -n 's/^ *X(\([A-Z]*\), *\(-[0-9]*\), .*/\1 \2/p' include/frazil/error.h)
functions=$(cat tests/api/exported-symbols*.txt 2>/dev/null || true)
keys=$(sed -n 's/^ *X([A-Z_]*, *"\([a-z_]*\)"[,)].*/\1/p' src/config/keys.h 2>/dev/null || true)
if [ -z "$errors" ] || [ -z "$functions" ] || [ -z "$keys" ]; then
    echo "no error, no function or no key found"
    exit 1
fi
written=$(mktemp -d)
trap 'rm -rf "$written"' EXIT
sh "$tools/man-pages" "$written"

check_functions() {
    for function in $functions; do
        [ -e "$written/$function.3" ] || echo "include:1: $function() has no page"
    done
    # shellcheck disable=SC2046 # a list of words
    ! command -v mandoc >/dev/null || mandoc -T lint -W warning $(grep -L '^\.so ' "$written"/*) || true
}

check_errors() {
    echo "$errors" | while read -r name number; do
        grep -qF "| \`FRAZIL_$name\` $number | " docs/ERRORS.md ||
            echo "docs/ERRORS.md:1: no row begins with \`FRAZIL_$name\` $number"
    done
}

check_keys() {
    for key in $keys; do
        grep -qE "^\.It Cm ([a-z_]+ , )*$key( ,|$)" man/frazil.spec.5 || echo "man/frazil.spec.5:1: $key is missing"
    done
}

check_references() {
    grep -E '^\.(It |Pf [^ ]* )?Xr (lib)?frazil' man/* "$written"/* | sed "s|^$written/||; s/:\..*Xr / /" | while read -r page name section _; do
        [ -e "man/$name.$section" ] || [ -e "$written/$name.$section" ] || echo "$page:1: there is no $name($section)"
    done
}

# A section of another page is named without Sx, for which the page's HTML has no place.
check_sections() {
    awk '/^\.S[hs] / { name = $0; sub(/^\.S[hs] /, "", name); there[FILENAME ":" name] = 1 }
        { line = $0; sub(/^\.(Pq|It|Po|Pf [^ ]*) /, ".", line); sub(/^\.[a-z]+ Sx /, ".Sx ", line) }
        line ~ /^\.Sx / { sub(/^\.Sx /, "", line); sub(/ [.,;:)]*$/, "", line); asked[FILENAME ":" line] = FILENAME ":" FNR ": there is no section " line }
        END { for (section in asked) if (!(section in there)) print asked[section] }' man/*
}

[ -e man/frazil.spec.5 ] || { echo "man/frazil.spec.5:1: there is no such page"; exit 1; }
wrong=$(check_functions && check_errors && check_keys && check_references && check_sections)
[ -z "$wrong" ] || { echo "$wrong" && exit 1; }
