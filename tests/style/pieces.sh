#!/bin/sh
# SPDX-License-Identifier: MIT
# pieces.sh ROOT: the page of tests/lib says what each piece there is, once, and of nothing else.
set -eu
cd "$1"

page=tests/lib/README.md
[ -f "$page" ] || { echo "no page found"; exit 1; }
there=$(find tests/lib -maxdepth 1 -type f ! -name README.md | sed 's|.*/||; s/\.[ch]$//' | sort -u)
# shellcheck disable=SC2016 # the page's backquotes
told=$(sed -n 's/^| `\([^`]*\)` |.*/\1/p' "$page" | sort)

echo "$told" | uniq -d | sed "s|^|$page:1: more than one row is of |" | grep . && exit 1
failed=0
for piece in $there; do
    echo "$told" | grep -qxF -e "$piece" || { echo "$page:1: no row says what $piece is"; failed=1; }
done
for piece in $told; do
    echo "$there" | grep -qxF -e "$piece" || { echo "$page:1: $piece is not in tests/lib"; failed=1; }
done
exit $failed
