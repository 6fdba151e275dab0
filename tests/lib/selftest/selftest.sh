#!/bin/sh
# SPDX-License-Identifier: MIT
# selftest.sh EMPTY SAMPLE: a program of tests fails where a test fails and where none is run, and runs them in order.
set -eu

empty=$1
sample=$2
output=$(mktemp)
trap 'rm -f "$output"' EXIT
unset TEST_ONLY TEST_LEFT_OUT

complain() {
    echo "selftest: $1; it said:" >&2
    cat "$output" >&2
    exit 1
}

# must_say WORDS
must_say() {
    grep -qF -- "$1" "$output" || complain "it does not say: $1"
}

# must_pass WORDS, must_fail WORDS: of the tests of the sample, those with the words in their sentence.
must_pass() {
    TEST_ONLY=$1 "$sample" >"$output" 2>&1 || complain "fails: $1"
}
must_fail() {
    ! TEST_ONLY=$1 "$sample" >"$output" 2>&1 || complain "passes: $1"
}

! "$empty" >"$output" 2>&1 || complain "a program without a test passes"
must_say 'no test to run: the program has none'

must_fail 'words of no test'
must_say 'no test to run: no sentence has the words of TEST_ONLY'
must_fail 'The third fails'
must_say 'Running 1 test(s)'
must_pass 'holds'
must_say 'Running 2 test(s)'
must_pass 'skipped'
must_say '[  SKIPPED ] The second is skipped'

TEST_LEFT_OUT='|some other|The third fails|' must_pass 'The third'
must_say '[  SKIPPED ] The third fails'
TEST_LEFT_OUT='|The third|third fails|The third fails and more|' must_fail 'The third'

! "$sample" >"$output" 2>&1 || complain "passes with a test that fails"
must_say '[  FAILED  ] The third fails'
[ "$(grep -cF 'after one that was set up' "$output")" = 4 ] || complain "not each test has its fixture"
order=$(sed -n -e 's/^\[ RUN      \] The \([a-z]*\).*/\1/p' -e 's/^\(before\|after\) all$/\1/p' "$output" | tr '\n' ' ')
[ "$order" = 'before first second third fourth after ' ] || complain "the order is $order"
