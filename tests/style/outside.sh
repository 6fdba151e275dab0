#!/bin/sh
# SPDX-License-Identifier: MIT
# outside.sh ROOT: whoever has this folder has everything: nothing refers to a place outside it, and what the
# documents link to in it exists.
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

for page in $(echo "$files" | grep '\.md$'); do
    broken=$(grep -oE '\]\([^)#]+' "$page" | sed 's/^](//' | grep -vE '^[a-z]+:' | while read -r link; do
        [ -e "$(dirname "$page")/$link" ] || echo "$page:1: links to $link, which does not exist"
    done)
    if [ -n "$broken" ]; then
        echo "$broken"
        failed=1
    fi
done
exit $failed
