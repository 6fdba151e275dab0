#!/bin/sh
# SPDX-License-Identifier: MIT
# sanitized.sh TREE BUILD [LANGUAGE]...: runs the tests of the bindings that are extensions of an interpreter (node, python; by
# default both) with the extension built for ASan and UBSan.  BUILD is a build folder of frazil, which has the command.
# Leaks are not looked for: interpreters end without freeing what they hold.
set -eu

tree=$(realpath "$1")
mkdir -p "$2/bindings/sanitized"
build=$(realpath "$2")
work=$build/bindings/sanitized
shift 2
[ $# -gt 0 ] || set -- node python

# shellcheck disable=SC2046 # a list of names
unset $(env | sed -n 's/^\(FRAZIL_[A-Z_]*\)=.*/\1/p')
export CC=gcc
instruments='-g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer'

# sanitized COMMAND...: the interpreter is not instrumented, so it gets the libraries of the sanitizers beforehand.
# With them, dlopen looks for the parts of coordinators from there, not from the command.
sanitized() {
    LD_PRELOAD=$($CC -print-file-name=libasan.so):$($CC -print-file-name=libubsan.so) LD_LIBRARY_PATH=$build/parts \
        ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc "$@"
}

# is_instrumented FILE: else nothing would be found.
is_instrumented() {
    nm -D "$1" | grep -q __asan_report && nm -D "$1" | grep -q __ubsan_handle && return
    echo "sanitized.sh: $1 is not instrumented" >&2
    return 1
}

try_node() {
    rm -rf "$work/node"
    cp -R "$tree/bindings/node/test" "$work/node"
    sh "$tree/tools/amalgamate" "$work/amalgamation" >/dev/null
    tarball=$(CFLAGS="-O1 $instruments" AMALGAMATION=$work/amalgamation sh "$tree/bindings/node/package.sh" "$tree" "$work/packages")
    cd "$work/node"
    npm ci --silent --no-audit --no-fund
    npm install --silent --no-audit --no-fund --no-save --ignore-scripts "$tarball"
    is_instrumented node_modules/frazil/prebuilds/*/frazil.node
    export TEST_CASES="$tree/bindings/conformance/cases.jsonl" TEST_VECTORS="$tree/tests/vectors"
    export TEST_SOURCES="$tree" TEST_BUILD="$build"
    sanitized node --expose-gc --test .
}

try_python() {
    requirements=$tree/bindings/python/tests/requirements.txt
    rm -rf "$work/python"
    python3 -m venv "$work/python"
    # shellcheck disable=SC2046 # several names
    "$work/python/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-compile \
        $(grep -E '^(iniconfig|packaging|pluggy|Pygments|pytest|setuptools)==' "$requirements")
    CFLAGS=$instruments LDFLAGS=$instruments PYTHON=$work/python/bin/python \
        sh "$tree/bindings/python/package.sh" "$tree" "$work/packages" >/dev/null
    "$work/python/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-index "$work"/packages/python/frazil-*.whl
    is_instrumented "$work"/python/lib/python*/site-packages/frazil/_frazil*.so
    cp -R "$tree/bindings/python/tests" "$tree/bindings/python/examples" "$tree/bindings/python/pyproject.toml" "$work/python"
    cd "$work/python"
    export TEST_TREE="$tree" FRAZIL_COMMAND="$build/bin/frazil" PYTHONDONTWRITEBYTECODE=1
    # The recipes try other packages, not this one.
    sanitized bin/pytest -c pyproject.toml --ignore tests/test_recipes.py tests
}

for language in "$@"; do
    echo "== $language, with ASan and UBSan ($(date +%T))"
    ("try_$language")
done
echo "== done ($(date +%T))"
