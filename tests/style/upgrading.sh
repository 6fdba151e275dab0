#!/bin/sh
# SPDX-License-Identifier: MIT
# upgrading.sh ROOT: whoever comes from 0.1 finds each name that is gone.  A public name of 0.1 (tests/api/names-of-0.1.txt:
# functions, types and macros) is in the headers still, or docs/upgrading.md says what stands in its place.
set -eu
style=$(dirname "$(realpath "$0")")
cd "$1"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
find include -name '*.h' -exec awk -f "$style/strip.awk" {} + | sed 's/^[^:]*:[0-9]*://' |
    grep -oE '(frazil|FRAZIL)_[A-Za-z0-9_]+' | LC_ALL=C sort -u >"$scratch/here"
LC_ALL=C sort -u tests/api/names-of-0.1.txt >"$scratch/before"
if [ ! -s "$scratch/before" ] || [ ! -s "$scratch/here" ]; then
    echo "no name found"
    exit 1
fi
LC_ALL=C comm -23 "$scratch/before" "$scratch/here" | while read -r name; do
    grep -qwF "$name" docs/upgrading.md || echo "docs/upgrading.md:1: $name of 0.1 is gone, and nothing is said of it"
done | tee "$scratch/said"
[ ! -s "$scratch/said" ]
