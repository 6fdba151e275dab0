# SPDX-License-Identifier: MIT
# Helpers of every test of the command.
bats_require_minimum_version 1.5.0

: "${FRAZIL:=frazil}"
: "${TEST_VECTORS_DIR:=$BATS_TEST_DIRNAME/../vectors}"
unset FRAZIL_LAYOUT FRAZIL_EPOCH FRAZIL_TICK FRAZIL_WORKER FRAZIL_CONFIG NO_COLOR

# Each test is on a host of its own: another one's worker ids are not in its way.
[ -z "${BATS_TEST_TMPDIR-}" ] || export FRAZIL_HOST_DIR="$BATS_TEST_TMPDIR/host"

frazil() {
    command "$FRAZIL" "$@"
}

# In setup(): leaves out a test that ../left-out.tsv has for this build, which says why.
leave_out() {
    case ${TEST_LEFT_OUT-} in *"|$BATS_TEST_DESCRIPTION|"*) skip "left out of this build: tests/left-out.tsv" ;; esac
}

# vector FILE COLUMN...: those columns of all lines of a vector file but the first, between tabs.
vector() {
    local file=$TEST_VECTORS_DIR/$1 columns
    shift
    columns=$(IFS=,; echo "$*")
    tail -n +2 "$file" | cut -f "$columns"
}

# json KEY: the values of a number or string member in lines of JSON objects.
json() {
    sed -n 's/.*"'"$1"'":"\{0,1\}\([^",}]*\).*/\1/p'
}

# same EXPECTED ACTUAL: both files have the same lines, and there are some.
same() {
    [ -s "$1" ] && diff "$1" "$2"
}

# fails STATUS TEXT COMMAND...: it exits with the status, prints nothing on standard
# output, and one line of standard error, which begins with "frazil: ", holds the text.
# shellcheck disable=SC2154 # bats sets them
fails() {
    local status_expected=$1 text=$2
    shift 2
    run --separate-stderr "$@"
    echo "status $status, output: $output, stderr: $stderr"
    [ "$status" -eq "$status_expected" ]
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "frazil: "* ]]
    [[ $stderr == *"$text"* ]]
}
