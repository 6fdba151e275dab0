#!/bin/sh
# SPDX-License-Identifier: MIT
# mawk.sh ROOT: Debian's awk, which is mawk, compiles every awk script.  The awk of a developer may be gawk, which takes more.
set -eu
cd "$1"

failed=0
scripts=$(find . -name '*.awk' -not -path './build*' | sed 's|^\./||' | sort)
[ -n "$scripts" ] || { echo "no awk script found"; exit 1; }
for script in $scripts; do
    # -W dump prints the compiled script and runs none of it.
    said=$(mawk -W dump -f "$script" 2>&1 >/dev/null </dev/null) && continue
    echo "$said" | sed "s|^mawk: $script: line \([0-9]*\)|$script:\1|"
    failed=1
done
exit $failed
