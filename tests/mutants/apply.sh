#!/bin/sh
# SPDX-License-Identifier: MIT
# apply.sh ROOT: every mutant says what it is and who kills it, and can still be put into the sources; docs/TRUST.md
# counts them right.
set -eu
cd "$1"

failed=0
complain() {
    echo "$1: $2"
    failed=1
}

for mutant in tests/mutants/*.patch; do
    grep -q '^Bug: .*\.$' "$mutant" || complain "$mutant" 'says no bug'
    grep -q '^Killed-by: ' "$mutant" || complain "$mutant" 'names no test that kills it'
    sed -n 's/^Killed-by: //p' "$mutant" | grep -v '^simulator ' | while read -r test; do
        case $test in
        "postgresql "*) [ -f "databases/postgresql/${test#* }.pl" ] ;;
        *) [ -f "tests/$test.c" ] ;;
        esac || echo "$test"
    done | sed "s|.*|$mutant: there is no test &|" | grep . && failed=1
    patch --dry-run -s -f -p1 <"$mutant" >/dev/null || complain "$mutant" 'does not apply: see tests/mutants/README.md'
done
set -- tests/mutants/*.patch
tr '\n' ' ' <docs/TRUST.md | grep -Eq "puts +in +$# +bugs" || complain docs/TRUST.md "counts other mutants than the $# that there are"
exit $failed
