#!/bin/sh
# SPDX-License-Identifier: MIT
# quick_start.sh README DIR: writes what the README tells an administrator to type, as DIR/settings and DIR/first.sql.
# For debian.sh, and for debian/tests/postgresql, which tries the installed package.
set -eu

fail() {
    echo "quick_start.sh: $1" >&2
    exit 1
}

awk '/^In `postgresql.conf`/ { wanted = 1 } /^```/ { if (inside) exit; inside = wanted; next } inside' "$1" >"$2/settings"
awk '/^```/ { if (inside) exit; inside = $0 == "```sql"; next } inside' "$1" >"$2/first.sql"
[ "$(grep -c . "$2/settings")" -eq 2 ] || fail "the README does not show two settings"
grep -q frazil.worker "$2/settings" || fail "the README sets no frazil.worker"
grep -q frazil_next "$2/first.sql" || fail "the README shows no SQL"
