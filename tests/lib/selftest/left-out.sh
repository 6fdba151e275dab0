#!/bin/sh
# SPDX-License-Identifier: MIT
# left-out.sh ROOT: the last line of a run of tests names what was left out, and nothing is left out where all packages are.
set -eu

root=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset TEST_SKIP_NOTHING
mkdir -p "$scratch/tools" "$scratch/bin" "$scratch/build/check"
cp "$root/tools/test" "$root/tools/install-packages" "$root/tools/counting.sh" "$scratch/tools"
for tool in sh awk sed head printf dirname id cat rm ctest; do
    ln -s "$(command -v $tool)" "$scratch/bin"
done
cd "$scratch"

cat >CMakePresets.json <<'END'
{
  "version": 6,
  "configurePresets": [{"name": "check", "generator": "Unix Makefiles", "binaryDir": "${sourceDir}/build/check"}],
  "testPresets": [{"name": "check", "configurePreset": "check"}]
}
END

complain() {
    echo "left-out.sh: $1; it said:" >&2
    cat said >&2
    exit 1
}

# must_end STATUS LINE COMMAND...: where there is no apt-get.
must_end() {
    expected=$1 line=$2
    shift 2
    status=0
    PATH=$scratch/bin sh "$@" >said 2>&1 || status=$?
    [ "$status" = "$expected" ] || complain "$*: exit status $status, not $expected"
    grep -v '^Errors while running CTest' said | sed '/^Output from these tests/d; /^Use "--rerun/d' | tail -n 1 | grep -qxF -- "$line" ||
        complain "$*: the last line is not: $line"
}

# needs TOOL: there is a test that needs it, and one that passes.
needs() {
    cat >build/check/CTestTestfile.cmake <<END
add_test(passes sh -c true)
add_test(needs sh "$root/tests/lib/needs.sh" "sh $1" sh -c true)
set_tests_properties(needs PROPERTIES SKIP_RETURN_CODE 77)
END
}

printf 'shell sh check!\nnails /nonexistent/nails check\nheron /nonexistent/heron check other!\n' >tools/test-packages
needs nails
must_end 0 'nails heron' tools/install-packages --list check
must_end 1 'make: missing (by their names in Debian): nails heron' tools/install-packages check
must_end 0 'make: going on without them; the last line says what was left out' tools/install-packages --or-less check
must_end 1 'make: cannot go on without: heron' tools/install-packages --or-less check other
must_end 0 'check: 1 passed, 1 left out and others in part, as these packages are missing: nails heron' tools/test check check check
export TEST_SKIP_NOTHING=1
must_end 1 'make: missing (by their names in Debian): nails heron' tools/install-packages --or-less check
must_end 8 'check: failed; 1 of 2 passed' tools/test check check check
unset TEST_SKIP_NOTHING

printf 'shell sh check!\n' >tools/test-packages
must_end 8 'check: failed; 1 of 2 passed' tools/test check check check
needs awk
must_end 0 'check-all: 2 passed' tools/test check-all check check
must_end 0 'check: 1 passed' tools/test check check check -R passes
