#!/bin/sh
# SPDX-License-Identifier: MIT
# outside.sh ROOT: whoever has this folder has everything: nothing refers to a place outside it, and what the
# documents link to in it exists: files, and headings of pages.
set -eu
cd "$1"
tools=$(dirname "$(realpath "$0")")/../../tools

failed=0
# This folder's own patterns and samples aside.
files=$(sh "$tools/sources" all | grep -v '^tests/style/')
[ -n "$files" ] || { echo "no file found"; exit 1; }

# shellcheck disable=SC2086 # a list of files
if grep -nIE '(^|[^A-Za-z0-9_.])\.\./(\.\./)*shared/|(^|[^A-Za-z0-9_.])/(work|home|root)/|(^|[^A-Za-z])[Ii]ssues? #?[0-9]+|(^|[^A-Za-z])[Pp]art [0-9] of [0-9]' \
    $files /dev/null; then
    echo "a reference to something outside the project: say it here instead"
    failed=1
fi

# anchors PAGE: what links call its headings.
anchors() {
    awk '/^ *```/ { fenced = !fenced } !fenced && /^#+ / {
        sub(/^#+ +/, ""); gsub(/\]\([^)]*\)/, "")
        name = tolower($0); gsub(/[^a-z0-9 _-]/, "", name); gsub(/ /, "-", name)
        print seen[name]++ ? name "-" (seen[name] - 1) : name
    }' "$1"
}

# broken_links PAGE: a line for each link to a file, or to a heading, that is not there.
broken_links() {
    grep -oE '\]\([^) ]+' "$1" | sed 's/^](//' | grep -vE '^[a-z]+:' | while read -r link; do
        file=${link%%#*}
        target=$1
        [ -z "$file" ] || target=$(dirname "$1")/$file
        if [ ! -e "$target" ]; then
            echo "$1:1: links to $file, which does not exist"
        elif [ "$link" != "$file" ] && ! anchors "$target" | grep -qxF -e "${link#*#}"; then
            echo "$1:1: links to $link, and no heading is called so"
        fi
    done
}

for page in $(echo "$files" | grep '\.md$'); do
    broken=$(broken_links "$page")
    if [ -n "$broken" ]; then
        echo "$broken"
        failed=1
    fi
done
exit $failed
