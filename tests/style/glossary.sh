#!/bin/sh
# SPDX-License-Identifier: MIT
# glossary.sh ROOT: a page of docs/ that uses one of the manual's own words links it to the glossary, once at least, and each
# entry of the glossary is short.  Words that are also plain English (word, side, lead, floor, slot, lease) are not asked for.
set -eu
cd "$1"

glossary=docs/glossary.md
own='grant horizon keeper namespace quarantine coordinator'
pages=$(find docs -name '*.md' ! -name README.md ! -name glossary.md ! -name DESIGN.md ! -name TRUST.md 2>/dev/null | sort)
if [ ! -e "$glossary" ] || [ -z "$pages" ]; then
    echo "no glossary or no page found"
    exit 1
fi

failed=0
for word in $own; do
    grep -qx "### $word" "$glossary" || { echo "$glossary:1: has no entry $word" && failed=1; }
    for page in $pages; do
        # Prose alone: no table of figures, fenced block, heading, code or link.
        line=$(awk -v word="$word" '
            /^ *```/ { fenced = !fenced; next }
            /^<!-- figures/ { made = 1 }
            /^<!-- end of figures/ { made = 0 }
            made || fenced || /^#/ || /^    / { next }
            { gsub(/`[^`]*`/, ""); gsub(/\[[^]]*\]\([^)]*\)/, "") }
            $0 ~ "(^|[^A-Za-z0-9_./=-])" word "s?($|[ ,.;:)])" { print FNR; exit }' "$page")
        [ -z "$line" ] || grep -q "glossary\.md#$word)" "$page" || {
            echo "$page:$line: $word: link it to the glossary here, where the page first uses it"
            failed=1
        }
    done
done
awk '/^#+ / { name = $0; n = 0; next } { n += NF } n > 60 && !said[name]++ { print FILENAME ":" FNR ": " name ": more than 60 words"; bad = 1 } END { exit bad }' \
    "$glossary" || failed=1
exit $failed
