#!/bin/sh
# SPDX-License-Identifier: MIT
# page.sh: for tests of what a page shows to users of PHP, who say PAGE EXTENSION: they are in a folder of their own.
set -eu

page=$(realpath "$1")
extension=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# block N MARK [HEADING]: the page's Nth block with that mark, below that heading if one is named.
block() {
    awk -v n="$1" -v fence="\`\`\`$2" -v heading="${3-}" '
        /^```/ { inside = inside ? 0 : below && $0 == fence ? 1 : 2; at += inside == 1; next }
        NR == 1 || (/^## / && !inside) { below = heading == "" || $0 == heading }
        inside == 1 && at == n' "$page"
}

# run PART...: try.php, with those parts of PHP that are no part of this one.
run() {
    for part; do
        shift
        php -n -m | grep -qix "$part" || set -- "$@" -d "extension=$part"
    done
    php -n "$@" -d "extension=$extension" try.php
}
