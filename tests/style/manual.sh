#!/bin/sh
# SPDX-License-Identifier: MIT
# manual.sh ROOT: man/frazil.3 names each error with the sentence that the library has for it, and each exported
# function; docs/ERRORS.md has a row for each error with its number.
set -eu
cd "$1"

page=man/frazil.3

# The rows of the table of errors: X(NAME, number, class, "sentence").
rows=$(sed -n 's/^ *X(\([A-Z]*\), *-\{0,1\}[0-9]*, *[A-Z]*, *"\(.*\)").*/FRAZIL_\1 \2/p' include/frazil/error.h)
functions=$(cat tests/api/exported-symbols*.txt 2>/dev/null || true)
if [ -z "$rows" ] || [ -z "$functions" ]; then
    echo "no error or no function found"
    exit 1
fi
[ -e "$page" ] || { echo "$page:1: there is no such page"; exit 1; }

missing=$(
    echo "$rows" | while read -r name sentence; do
        grep -qwF "$name" "$page" || echo "$page:1: $name is missing"
        tr '\n' ' ' <"$page" | grep -qF "$sentence" || echo "$page:1: $name is not explained by: $sentence"
    done
    sed -n 's/^ *X(\([A-Z]*\), *\(-[0-9]*\), .*/\1 \2/p' include/frazil/error.h | while read -r name number; do
        grep -qF "| \`FRAZIL_$name\` $number | " docs/ERRORS.md ||
            echo "docs/ERRORS.md:1: no row begins with \`FRAZIL_$name\` $number"
    done
    for function in $functions; do
        grep -qw "$function" "$page" || echo "$page:1: $function() is missing"
    done
)
[ -z "$missing" ] || { echo "$missing" && exit 1; }
