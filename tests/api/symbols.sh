#!/bin/sh
# SPDX-License-Identifier: MIT
# symbols.sh [--update] LIBRARY_DIR PARTS_DIR: the libraries, shared and static, export what exported-symbols.txt,
# exported-symbols-admin.txt, -extras.txt and -opaque.txt say, which is what the public headers declare: no more and
# no less.  A part exports
# the one function that frazil/coordinators.h declares for it.
#
# After a function was added: `make update-symbols`, and commit the list with it.  A name that goes away breaks programs:
# raise FRAZIL_SOVERSION in CMakeLists.txt.
set -eu

api=$(dirname "$(realpath "$0")")
include=$api/../../include
update=no
if [ "$1" = --update ]; then
    update=yes
    shift
fi
dir=$1
parts=$2
failed=0

exported_by_shared() {
    nm -D --defined-only --format=posix "$1" | awk '$2 ~ /^[A-Z]$/ && $2 != "A" { sub(/@.*/, "", $1); print $1 }' | sort
}

# The names that have no version, or another one than libfrazil.map says.
without_version() {
    nm -D --defined-only --format=posix "$1" | awk '$2 ~ /^[A-Z]$/ && $2 != "A" && $1 !~ /@@?FRAZIL_[0-9.]+$/ { print $1 }'
}

exported_by_static() {
    nm -g --defined-only --format=posix "$1" | awk 'NF > 1 && $2 ~ /^[A-Z]$/ { print $1 }' | sort
}

# The functions that headers declare for export.
declared() {
    ctags --quiet --options=NONE -f - --languages=C --langmap=C:.h --kinds-C=p \
        -I FRAZIL_API,FRAZIL_CHECK,FRAZIL_NONNULL+ "$@" | cut -f 1 | sort
}

# same WHAT EXPECTED ACTUAL
same() {
    if ! difference=$(diff "$2" "$3"); then
        echo "$1 (< the list, > what is there):"
        echo "$difference" | grep '^[<>]'
        failed=1
    fi
}

# check_library NAME LIST HEADER...
check_library() {
    name=$1 list=$2
    shift 2
    exported_by_shared "$dir/lib$name.so" >"$scratch/shared"
    exported_by_static "$dir/lib$name.a" >"$scratch/static"
    declared "$@" >"$scratch/declared"
    [ -s "$scratch/shared" ] || { echo "lib$name.so exports nothing" && exit 1; }
    if [ "$update" = yes ]; then
        cp "$scratch/shared" "$list"
        return
    fi
    same "lib$name.so and $(basename "$list")" "$list" "$scratch/shared"
    same "lib$name.a and $(basename "$list")" "$list" "$scratch/static"
    same "the headers and $(basename "$list")" "$list" "$scratch/declared"
    if without_version "$dir/lib$name.so" | grep .; then
        echo "these names of lib$name.so have no version: src/libfrazil.map"
        failed=1
    fi
    if grep -v '^frazil_' "$scratch/shared" "$scratch/static"; then
        echo "only frazil_* may be exported"
        failed=1
    fi
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

headers=$(find "$include" -name '*.h' ! -name admin.h ! -name extras.h ! -name opaque.h ! -name coordinators.h)
# shellcheck disable=SC2086 # a list of files
check_library frazil "$api/exported-symbols.txt" $headers
src=$dir
if [ -e "$src/admin/libfrazil-admin.so" ]; then
    dir=$src/admin
    check_library frazil-admin "$api/exported-symbols-admin.txt" "$include/frazil/admin.h"
fi
if [ -e "$src/extras/libfrazil-extras.so" ]; then
    dir=$src/extras
    check_library frazil-extras "$api/exported-symbols-extras.txt" "$include/frazil/extras.h"
fi
if [ -e "$src/opaque/libfrazil-opaque.so" ]; then
    dir=$src/opaque
    check_library frazil-opaque "$api/exported-symbols-opaque.txt" "$include/frazil/opaque.h"
fi
declared "$include/frazil/coordinators.h" >"$scratch/entries"
for library in "$parts"/libfrazil-*.so; do
    [ -e "$library" ] || continue
    part=$(basename "$library" .so)
    part=${part#libfrazil-}
    echo "frazil_coordinator_$part" >"$scratch/entry"
    exported_by_shared "$library" >"$scratch/shared"
    exported_by_static "$parts/libfrazil-$part.a" >"$scratch/static"
    same "libfrazil-$part.so" "$scratch/entry" "$scratch/shared"
    same "libfrazil-$part.a" "$scratch/entry" "$scratch/static"
    grep -qx "frazil_coordinator_$part" "$scratch/entries" || { echo "frazil/coordinators.h does not declare frazil_coordinator_$part" && failed=1; }
done
[ "$failed" = 0 ] || echo "if that is meant: make update-symbols"
exit $failed
