#!/bin/sh
# SPDX-License-Identifier: MIT
# selftest.sh RUN: the runner of conformance cases fails for what is not so, and for what it does not know.
set -eu

run=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
spec='"spec":"worker=fixed:7 clock=frozen:2026-05-01T12:00:00Z start=zero"'

# must_pass CASE
must_pass() {
    echo "$1" >"$scratch/cases"
    "$run" "$scratch/cases" >"$scratch/output" || { echo "fails: $1" && cat "$scratch/output" && exit 1; }
}

# must_fail SENTENCE CASE
must_fail() {
    echo "$2" >"$scratch/cases"
    ! "$run" "$scratch/cases" >"$scratch/output" || { echo "passes: $2" && exit 1; }
    grep -qF -- "$1" "$scratch/output" || { echo "fails, but not with '$1': $2" && cat "$scratch/output" && exit 1; }
}

must_pass "{\"name\":\"a\",$spec,\"calls\":[{\"call\":\"next\",\"id\":\"43667737804828672\"}]}"
must_fail "'id' is 43667737804828672, expected was 43667737804828673" \
    "{\"name\":\"a\",$spec,\"calls\":[{\"call\":\"next\",\"id\":\"43667737804828673\"}]}"
must_fail 'of another type' "{\"name\":\"a\",$spec,\"calls\":[{\"call\":\"next\",\"id\":43667737804828672}]}"
must_fail 'it succeeds, expected was FRAZIL_EFULL' \
    "{\"name\":\"a\",$spec,\"calls\":[{\"call\":\"next\",\"error\":\"FRAZIL_EFULL\",\"class\":\"retry\"}]}"
must_fail "'error' is FRAZIL_EKIND, expected was FRAZIL_EFULL" \
    "{\"name\":\"a\",$spec,\"calls\":[{\"call\":\"sno_next\",\"meta\":0,\"error\":\"FRAZIL_EFULL\",\"class\":\"usage\"}]}"
must_fail "'class' is usage, expected was retry" \
    "{\"name\":\"a\",$spec,\"calls\":[{\"call\":\"sno_next\",\"meta\":0,\"error\":\"FRAZIL_EKIND\",\"class\":\"retry\"}]}"
must_fail "needs a member 'class'" \
    "{\"name\":\"a\",$spec,\"calls\":[{\"call\":\"sno_next\",\"meta\":0,\"error\":\"FRAZIL_EKIND\"}]}"
must_fail 'FRAZIL_ESPEC' '{"name":"a","spec":"nosuch=1","calls":[{"call":"next","id":"1"}]}'
must_fail 'it succeeds, expected was FRAZIL_ESPEC' "{\"name\":\"a\",$spec,\"error\":\"FRAZIL_ESPEC\",\"class\":\"usage\"}"
must_fail 'there is no such call' "{\"name\":\"a\",$spec,\"calls\":[{\"call\":\"nosuch\"}]}"
must_fail "a member 'idd' that this call does not know" \
    "{\"name\":\"a\",$spec,\"calls\":[{\"call\":\"next\",\"id\":\"43667737804828672\",\"idd\":\"1\"}]}"
must_fail "a member 'nosuch'" "{\"name\":\"a\",\"nosuch\":1,$spec,\"calls\":[{\"call\":\"next\",\"id\":\"43667737804828672\"}]}"
must_fail 'nothing is expected of it' "{\"name\":\"a\",$spec,\"calls\":[{\"call\":\"next\"}]}"
must_fail 'the case makes no call' "{\"name\":\"a\",$spec}"
must_fail "needs a member 'n'" "{\"name\":\"a\",$spec,\"calls\":[{\"call\":\"next_n\",\"ids\":[]}]}"
must_fail 'the case lacks' '{"name":"a","calls":[{"call":"next","id":"1"}]}'
must_fail 'no list of 2' "{\"name\":\"a\",$spec,\"calls\":[{\"call\":\"next_n\",\"n\":2,\"ids\":[\"43667737804828672\"]}]}"
must_fail 'at place 1' \
    "{\"name\":\"a\",$spec,\"calls\":[{\"call\":\"next_n\",\"n\":2,\"ids\":[\"43667737804828672\",\"1\"]}]}"
must_fail "'sequence' is 0, expected was 1 to 9" \
    "{\"name\":\"a\",$spec,\"calls\":[{\"call\":\"next\",\"sequence_from\":1,\"sequence_to\":9}]}"
must_fail 'duplicate' '{"name":"a","name":"b"}'
: >"$scratch/none"
! "$run" "$scratch/none" >/dev/null || { echo 'passes without a case' && exit 1; }
