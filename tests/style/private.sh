#!/bin/sh
# SPDX-License-Identifier: MIT
# private.sh ROOT: each fz_ function that a header of the library declares begins with FZ_PRIVATE, which is nothing in the
# library and `static` where all of it is one file.  Rooms that are not in libfrazil need no such mark.
set -eu
cd "$1"

headers=$(find src -name '*.h' 2>/dev/null | awk '!/^src\/(opaque|admin|cli)\// && (!/^src\/coordinators\// || /\/file\//)' | sort)
[ -n "$headers" ] || { echo "no header found"; exit 1; }

# shellcheck disable=SC2086 # a list of files
awk '
    # A declaration begins at the margin; its name may stand on the line below its type.
    /^[A-Za-z_]/ && (/^fz_[a-z0-9_]+\(/ || /[ *]fz_[a-z0-9_]+\(/) {
        first = /^fz_/ ? before : $0
        if (first !~ /^(FZ_PRIVATE|static inline|typedef) /) {
            match($0, /fz_[a-z0-9_]+\(/)
            printf "%s:%d: %s) is declared without FZ_PRIVATE\n", FILENAME, FNR, substr($0, RSTART, RLENGTH)
            bad = 1
        }
    }
    /^extern / && !/^extern const / {
        printf "%s:%d: data that changes is shared between files: let a function give it\n", FILENAME, FNR
        bad = 1
    }
    { before = $0 }
    END { exit bad }' $headers
