#!/bin/sh
# SPDX-License-Identifier: MIT
# changed.sh ROOT: what tools/changed takes for a push, of commits that are old and new; the gate of a push does less than
# all only where it knows that nothing but pages came.
set -eu

command -v git >/dev/null || exit 77
changed=$1/tools/changed
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
# shellcheck disable=SC2046 # a list of names: git has set them where a hook runs this
unset TEST_SINCE $(git rev-parse --local-env-vars)

fail() {
    echo "changed.sh: $1" >&2
    exit 1
}

# commit DAY FILE: of that day of a May that is long over
commit() {
    echo "$1" >"$2"
    git add "$2"
    GIT_COMMITTER_DATE="2026-05-$1T12:00:00Z" git -c user.name=test -c user.email=test@localhost commit -q -m "$2"
}

git init -q
commit 01 first.c
commit 09 second.c
commit 09 page.md

[ "$(sh "$changed" files)" = "page.md
second.c" ] || fail "the last day had other files: $(sh "$changed" files)"
! sh "$changed" pages_alone || fail "a page was taken for all that a push brings, and nobody said since when"
TEST_SINCE=$(git rev-parse HEAD~1) sh "$changed" pages_alone || fail "a page alone was taken for more"
! TEST_SINCE=$(git rev-parse HEAD~2) sh "$changed" pages_alone || fail "a source was taken for a page"
git mv second.c page2.md
commit 09 page.md
! TEST_SINCE=$(git rev-parse HEAD~1) sh "$changed" pages_alone || fail "a source that became a page was taken for a page"
! TEST_SINCE=$(git rev-parse HEAD) sh "$changed" pages_alone || fail "nothing was taken for pages"
