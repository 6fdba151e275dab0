#!/bin/sh
# SPDX-License-Identifier: MIT
# manual.sh ROOT: the pages of man/ are complete, and say what is so.
# - Each exported function is in the synopsis of exactly one page, as its header declares it, and in its NAME.
# - frazil_strerror(3) explains each error by the library's sentence; docs/ERRORS.md has a row for it with its number.
# - frazil.spec(5) has each key.
# - Sections that a page refers to with Sx are its own.
# - libfrazil(3) refers to each page of section 3, and no page refers to one of ours that there is not.
set -eu
style=$(dirname "$(realpath "$0")")
cd "$1"

# The rows of the table of errors: X(NAME, number, class, "sentence").
rows=$(sed -n 's/^ *X(\([A-Z]*\), *-\{0,1\}[0-9]*, *[A-Z]*, *"\(.*\)").*/FRAZIL_\1 \2/p' include/frazil/error.h)
functions=$(cat tests/api/exported-symbols*.txt 2>/dev/null || true)
keys=$(sed -n 's/^ *X([A-Z_]*, *"\([a-z_]*\)"[,)].*/\1/p' src/spec/keys.h 2>/dev/null || true)
if [ -z "$rows" ] || [ -z "$functions" ] || [ -z "$keys" ]; then
    echo "no error, no function or no key found"
    exit 1
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Each function that the headers declare for export, in a line: TYPE NAME(ARGUMENTS)
declared() {
    find include -name '*.h' -exec awk -f "$style/strip.awk" {} + | sed 's/^[^:]*:[0-9]*://; /^ *#/d' | tr '\n;' ' \n' |
        sed -nE '/FRAZIL_API/ { s/.*FRAZIL_API //; s/FRAZIL_(CHECK|PURE) //; s/ *FRAZIL_NONNULL\([^)]*\)//; s/  +/ /g; s/ $//; p; }'
}

# The functions of the synopses, likewise, behind the page and a colon.
shown() {
    awk '
        function rest(s) { sub(/^\.F[at] /, "", s); gsub(/"/, "", s); return s }
        /^\.Ft / { type = rest($0) }
        /^\.Fo / { name = $2; arguments = "" }
        /^\.Fa / && name != "" { arguments = arguments (arguments == "" ? "" : ", ") rest($0) }
        /^\.Fc/ { print FILENAME ":" type (type ~ /\*$/ ? "" : " ") name "(" arguments ")"; name = "" }
    ' man/*.3
}

check_functions() {
    declared >"$scratch/declared"
    shown >"$scratch/shown"
    for function in $functions; do
        grep -E "[ *]$function\(" "$scratch/shown" >"$scratch/here" || { echo "man:1: $function() is in no synopsis" && continue; }
        [ "$(wc -l <"$scratch/here")" -eq 1 ] || { echo "man:1: $function() is in several synopses" && continue; }
        page=$(sed 's/:.*//' "$scratch/here")
        sed 's/^[^:]*://' "$scratch/here" | grep -qxFf - "$scratch/declared" ||
            echo "$page:1: $function() is declared otherwise: $(grep -E "[ *]$function\(" "$scratch/declared")"
        grep -qE "^\.Nm $function( ,)?$" "$page" || echo "$page:1: $function is not in NAME"
    done
}

check_errors() {
    page=man/frazil_strerror.3
    echo "$rows" | while read -r name sentence; do
        grep -qwF "$name" "$page" || echo "$page:1: $name is missing"
        tr '\n' ' ' <"$page" | grep -qF "$sentence" || echo "$page:1: $name is not explained by: $sentence"
    done
    sed -n 's/^ *X(\([A-Z]*\), *\(-[0-9]*\), .*/\1 \2/p' include/frazil/error.h | while read -r name number; do
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
    for page in man/*.3; do
        name=$(basename "$page" .3)
        [ "$name" = libfrazil ] || grep -qx "\.It Xr $name 3" man/libfrazil.3 ||
            echo "man/libfrazil.3:1: does not lead to $name(3)"
    done
    grep -E '^\.(It )?Xr (lib)?frazil' man/* | sed 's/:\.It /:./; s/:\.Xr / /' | while read -r page name section _; do
        [ -e "man/$name.$section" ] || grep -qsE "^\.Nm $name( ,)?$" man/*."$section" ||
            echo "$page:1: there is no $name($section)"
    done
}

# A section of another page is named without Sx, for which the page's HTML has no place.
check_sections() {
    awk '/^\.S[hs] / { name = $0; sub(/^\.S[hs] /, "", name); there[FILENAME ":" name] = 1 }
        { line = $0; sub(/^\.(Pq|It|Po|Pf [^ ]*) /, ".", line); sub(/^\.[a-z]+ Sx /, ".Sx ", line) }
        line ~ /^\.Sx / { sub(/^\.Sx /, "", line); sub(/ [.,;:)]*$/, "", line); asked[FILENAME ":" line] = FILENAME ":" FNR ": there is no section " line }
        END { for (section in asked) if (!(section in there)) print asked[section] }' man/*
}

for page in frazil_strerror.3 libfrazil.3 frazil.spec.5; do
    [ -e "man/$page" ] || { echo "man/$page:1: there is no such page"; exit 1; }
done
wrong=$(check_functions && check_errors && check_keys && check_references && check_sections)
[ -z "$wrong" ] || { echo "$wrong" && exit 1; }
