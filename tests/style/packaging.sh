#!/bin/sh
# SPDX-License-Identifier: MIT
# packaging.sh ROOT: each place that repeats the version says the same, and what debian/ says of the libraries is so: which symbols
# they export, and what the packages suggest.
set -eu
tools=$(dirname "$(realpath "$0")")/../../tools
cd "$1"

failed=0
complain() {
    echo "$1"
    failed=1
}

[ -e include/frazil.h ] || { echo "include/frazil.h:1: there is none" && exit 1; }
sh "$tools/version" --check . || failed=1

# Each header, and the page of each function, is in a package.  dh_missing says so as well, but only after a long build.
installed() {
    find include/frazil -name '*.h' 2>/dev/null | sed 's|^|usr/|'
    sed 's|.*|usr/share/man/man3/&.3|' tests/api/exported-symbols*.txt
}
patterns=$(cat debian/*.install 2>/dev/null | awk '{ print $1 }') || true
if [ -n "$patterns" ]; then
    paths=$(installed)
    set -f
    for path in $paths; do
        found=
        for pattern in $patterns; do
            # shellcheck disable=SC2254 # it is a pattern
            case $path in $pattern) found=yes ;; esac
        done
        [ -n "$found" ] || complain "debian:1: no package has $path"
    done
    set +f
fi

# symbols PAGE LIBRARY: those that are listed for a library; the version that all of them have is one beside them.
symbols() {
    awk -v library="$2.so.1" '/^[a-z]/ { mine = $1 == library } mine && /^ frazil_/ { sub(/@.*/, "", $1); print $1 }' "$1"
}

# same_symbols PAGE LIBRARY LIST
same_symbols() {
    for name in $(symbols "$1" "$2" | sort - "$3" | uniq -u); do
        complain "$1:1: $name is in this or in $3, not in both"
    done
}

same_symbols debian/libfrazil1.symbols libfrazil tests/api/exported-symbols.txt
same_symbols debian/libfrazil-admin1.symbols libfrazil-admin tests/api/exported-symbols-admin.txt
same_symbols debian/libfrazil-extras1.symbols libfrazil-extras tests/api/exported-symbols-extras.txt
same_symbols debian/libfrazil-opaque1.symbols libfrazil-opaque tests/api/exported-symbols-opaque.txt

# The parts are named by debian/rules, from the table of coordinators; where this cannot be read, nothing is suggested.
parts_of_rules() {
    # shellcheck disable=SC2016 # it is for make
    printf 'include debian/rules\n.PHONY: parts\nparts:\n\t@echo $(PARTS)\n' | make -s -f - parts 2>&1
}
if [ ! -e debian/rules ]; then
    : # not the whole tree
elif ! parts=$(parts_of_rules); then
    complain "debian/rules:1: make cannot read it: $parts"
elif [ -z "$parts" ]; then
    complain "debian/rules:1: PARTS names no part"
else
    for part in $(echo "$parts" | tr -d ,); do
        grep -qx "Package: $part" debian/control ||
            complain "debian/rules:1: suggests $part, which debian/control does not build"
    done
fi
exit $failed
