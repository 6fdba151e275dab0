# SPDX-License-Identifier: MIT
# What tests of the doctor's reasons have in common.
# shellcheck disable=SC2154 # bats sets output

# begin_reasons: a host whose directories are the test's.
begin_reasons() {
    leave_out
    unset FRAZIL_STATE
    export FRAZIL_RUN_DIR="$BATS_TEST_TMPDIR/run" FRAZIL_STATE_DIR="$BATS_TEST_TMPDIR/state"
}

# says ID REASON SPEC: the finding with that id holds the reason, as text and as JSON; the password s3cret is nowhere.
says() {
    run frazil doctor "$3"
    echo "$output"
    [ "$status" -eq 2 ]
    grep -F "[FAIL] coordinator: " <<<"$output" | grep -qE -- "$2"
    [[ $output != *s3cret* ]]
    run frazil doctor --json "$3"
    grep -F "\"id\":\"$1\"" <<<"$output" | grep -qE -- "$2"
    [[ $output != *s3cret* ]]
}

# has PART: whether the part is installed.
has() {
    frazil version | grep "^$1: " | grep -vq "not installed"
}
