#!/bin/sh
# SPDX-License-Identifier: MIT
# packaging.sh ROOT: what debian/ says of the libraries is so: the version, and which symbols they export.
set -eu
cd "$1"

failed=0
complain() {
    echo "$1"
    failed=1
}

version=$(sed -n 's/^#define FRAZIL_VERSION "\(.*\)"/\1/p' include/frazil.h)
packaged=$(sed -n '1s/^frazil (\(.*\)) .*/\1/p' debian/changelog)
[ -n "$version" ] || { echo "no version found"; exit 1; }
[ "$packaged" = "$version" ] || complain "debian/changelog:1: begins with $packaged, and frazil.h says $version"

# symbols PAGE LIBRARY: those that are listed for a library.
symbols() {
    awk -v library="$2.so.0" '/^[a-z]/ { mine = $1 == library } mine && /^ / { sub(/@.*/, "", $1); print $1 }' "$1"
}

# same_symbols PAGE LIBRARY LIST
same_symbols() {
    for name in $(symbols "$1" "$2" | sort - "$3" | uniq -u); do
        complain "$1:1: $name is in this or in $3, not in both"
    done
}

same_symbols debian/libfrazil0.symbols libfrazil tests/api/exported-symbols.txt
same_symbols debian/libfrazil-opaque0.symbols libfrazil-opaque tests/api/exported-symbols-opaque.txt
exit $failed
