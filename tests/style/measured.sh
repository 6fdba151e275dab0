#!/bin/sh
# SPDX-License-Identifier: MIT
# measured.sh ROOT: docs/performance.md has the figures of each minor version that is released, so that no table tells of an older one.
# Until CHANGELOG.md gives it a date, the page may be of the version before.
set -eu
cd "$1"

version=$(sed -n 's/^#define FRAZIL_VERSION "\(.*\)"$/\1/p' include/frazil.h)
measured=$(sed -n 's/^Measured on: .*; frazil \([0-9.]*\),.*$/\1/p' docs/performance.md)
[ -n "$version" ] || { echo "include/frazil.h: has no version"; exit 1; }
[ -n "$measured" ] || { echo "docs/performance.md: does not say what was measured"; exit 1; }
[ "${measured%.*}" != "${version%.*}" ] || exit 0
if grep -qxF "## $version, not yet released" CHANGELOG.md; then
    echo "docs/performance.md: is of frazil $measured; run make bench before $version is released"
else
    echo "docs/performance.md: is of frazil $measured, and $version is released: run make bench"
    exit 1
fi
