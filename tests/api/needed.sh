#!/bin/sh
# SPDX-License-Identifier: MIT
# needed.sh ROOT: somebody needs each exported function: the command, the daemon, a binding, a database extension or an
# example.  Declarations of a binding and tests need nothing.  Beside them there may be a use that a page describes and a
# test runs.
set -eu
api=$(dirname "$(realpath "$0")")
tools=$api/../../tools
cd "$1"

# FUNCTION PAGE TEST: a use that is described, and run.
described() {
    cat <<'END'
frazil_get_fast_path docs/fast-path.md tests/concurrency/test_fast_path.c
END
}

functions=$(cat tests/api/exported-symbols*.txt 2>/dev/null || true)
users=$(sh "$tools/sources" all | grep -E '^(programs|bindings|databases|examples|web)/.*\.(c|h|go|js|py|rs)$' |
    grep -vE '^bindings/rust/frazil-sys/|/tests?/|_test\.go$' || true)
if [ -z "$functions" ] || [ -z "$users" ]; then
    echo "no function or nobody to use it found"
    exit 1
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck disable=SC2086 # a list of files
grep -ohE '\bfrazil_[a-z0-9_]+' $users | LC_ALL=C sort -u >"$scratch/used"
described >"$scratch/described"

failed=0
for function in $functions; do
    grep -qx "$function" "$scratch/used" && continue
    where=$(sed -n "s/^$function //p" "$scratch/described")
    # shellcheck disable=SC2086 # a page and a test
    if [ -z "$where" ] || [ "$(grep -lw "$function" $where 2>/dev/null | wc -l)" -ne 2 ]; then
        echo "include:1: nobody needs $function(): show it in an example, or take it away"
        failed=1
    fi
done
[ "$failed" = 0 ] || exit 1
echo "$(echo "$functions" | wc -l) functions are needed"
