#!/bin/sh
# SPDX-License-Identifier: MIT
# amalgamation.sh ROOT BUILD_DIR [CMOCKA_PREFIX]: frazil.c and frazil.h are all that a project needs.  They compile alone and without a
# warning, and export frazil_ names only.  As they are and with -DFRAZIL_PORTABLE, they pass the tests that know the public
# interface only.  They load the parts of their own version.  An id costs as many instructions as in the library.
# With TEST_EVERY in the environment, that they compile is enough.
set -eu

root=$1
build=$2
cmocka=${3:+-I$3/include -L$3/lib -Wl,-rpath,$3/lib}
cc=${CC:-cc}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "$1" >&2
    exit 1
}

cd "$scratch"
made=$({ sh "$root/tools/amalgamate" "$scratch"; sh "$root/databases/sqlite/amalgamate" "$scratch"; } | tr ' ' '\n' | LC_ALL=C sort)
[ "$made" = "$(find "$scratch" -type f | LC_ALL=C sort)" ] || fail "what was made is not what was named: $made"
rm frazil_sqlite.*
sh "$root/tools/amalgamate" again >/dev/null
cmp frazil.c again/frazil.c || fail "frazil.c is not the same twice"
rm -r again

echo "-- it compiles alone"
warnings="-Wall -Wextra -Wconversion -Wshadow -Werror"
for compiler in gcc clang musl-gcc; do
    command -v "$compiler" >/dev/null || continue
    # shellcheck disable=SC2086 # a list of flags
    for variant in -DFRAZIL_PORTABLE -DFRAZIL_DEBUG -fPIC; do
        "$compiler" -std=c11 $warnings "$variant" -fsyntax-only frazil.c || fail "$compiler $variant: frazil.c has warnings"
    done
    # shellcheck disable=SC2086
    for standard in c99 c11; do
        "$compiler" -x c "-std=$standard" -pedantic-errors $warnings -fsyntax-only frazil.h || fail "frazil.h is no $standard"
    done
    # shellcheck disable=SC2086
    "$compiler" -x c++ -std=c++11 -pedantic-errors -Wall -Wextra -Werror -fsyntax-only frazil.h || fail "frazil.h is no C++"
done
[ -z "${TEST_EVERY:-}" ] || exit 0

# Optimised, compilers see more.
objects='frazil.o portable.o'
# shellcheck disable=SC2086
"$cc" -std=c11 -O2 $warnings -DFRAZIL_PORTABLE -c -o portable.o frazil.c
# shellcheck disable=SC2086
"$cc" -std=c11 -O2 $warnings -c frazil.c
"$cc" -O2 -fvisibility=hidden -DFRAZIL_API= -c -o hidden.o frazil.c
! grep '^#include <\(linux\|asm\)/' frazil.c || fail "frazil.c wants headers of the kernel, which not each libc brings along"
for object in $objects; do
    if nm -g --defined-only "$object" | grep -v ' frazil_[a-z0-9_]*$' | grep .; then
        fail "$object exports more than frazil_ names"
    fi
    [ "$(nm -g --defined-only "$object" | wc -l)" -ge "$(wc -l <"$root/tests/api/exported-symbols.txt")" ] ||
        fail "$object lacks functions"
done
if nm -u portable.o | grep -w 'madvise\|memfd_create\|getentropy\|adjtimex\|statfs'; then
    fail "portable.o calls what only Linux has"
fi

# It asks for more than POSIX in one place for all files, which changes what strerror_r returns.
cat >errno.c <<'END'
#include "frazil.h"
#include <stdio.h>
int main(void)
{
    frazil_error err;
    frazil *gen;
    if (frazil_open(&gen, "worker=fixed:1 state=file run_dir=/proc/none/here", &err) != FRAZIL_OK)
        puts(err.message);
    return 0;
}
END
for object in $objects; do
    "$cc" -o errno errno.c "$object" -lpthread -ldl
    ./errno | grep -q 'No such file or directory' || fail "$object does not say why the system refused: $(./errno)"
done

echo "-- tests"
# The public headers' names lead to the one.
mkdir frazil
for header in "$root"/include/frazil/*.h; do
    echo '#include "../frazil.h"' >"frazil/$(basename "$header")"
done

# needs FILE: the headers of its own that a test includes, through lib/ as well.
needs() {
    # shellcheck disable=SC2013 # headers have no spaces in their names
    for included in $(sed -n 's/^#include "\(.*\)"$/\1/p' "$1"); do
        case $included in
        frazil.h | frazil/opaque.h | frazil/*) echo "$included" ;;
        lib/*) use_piece "$included" ;;
        */*) echo "inside: $included" ;;
        *) use_piece "lib/$included" ;;
        esac
    done
}

# use_piece lib/HEADER: notes the piece of tests/lib, and says what it needs.
use_piece() {
    piece=${1%.h}
    grep -qx "$piece" seen && return
    echo "$piece" >>seen
    for file in "$root/tests/$piece.h" "$root/tests/$piece.c"; do
        [ ! -e "$file" ] || (needs "$file")
    done
}

# object_of FILE: compiles a file of tests/ once, and says what into.
object_of() {
    object=$(echo "${1#"$root"/tests/}" | tr / -).o
    # shellcheck disable=SC2086 # a list of flags
    [ -e "$object" ] || "$cc" -std=c11 $cmocka -D_POSIX_C_SOURCE=200809L "-DFRAZIL_VECTORS_DIR=\"$root/tests/vectors\"" -I. "-I$root/tests" \
        -c -o "$object" "$1" || fail "$1 does not compile with frazil.h"
    echo "$object"
}

tests=0
for test in "$root"/tests/unit/test_*.c; do
    : >seen
    needs "$test" >needed
    grep -q 'inside:\|opaque' needed && continue
    echo lib/test >>seen
    parts=$(object_of "$test")
    # shellcheck disable=SC2013
    for piece in $(sort -u seen); do
        [ ! -e "$root/tests/$piece.c" ] || parts="$parts $(object_of "$root/tests/$piece.c")"
    done
    for library in $objects; do
        # shellcheck disable=SC2086 # lists of files and flags
        "$cc" -o program $parts "$library" $cmocka -lcmocka -lpthread -ldl -lm || fail "$test does not link with $library"
        FRAZIL_STATE=memory ./program >said 2>&1 || { cat said && fail "$test fails with $library"; }
    done
    tests=$((tests + 1))
done
echo "$tests programs, each with $objects"
[ "$tests" -ge 10 ] || fail "there are hardly any tests of the public interface"

if [ -z "$cmocka" ] && echo '#include <jansson.h>' | "$cc" -x c -fsyntax-only - 2>/dev/null; then
    echo "-- conformance"
    for library in $objects; do
        "$cc" -std=c11 -D_POSIX_C_SOURCE=200809L -I. -o run "$root"/tests/conformance/*.c "$library" -ljansson -lpthread -ldl
        env -u FRAZIL_STATE ./run "$root/bindings/conformance/cases.jsonl" || fail "$library is not as the cases say"
    done
fi

echo "-- parts"
cat >parts.c <<'C'
#include "frazil.h"
#include <stdio.h>
int main(int argc, char **argv)
{
    const frazil_coordinator *part;
    frazil_error err;

    if (argc < 2)
        return 1;
    frazil_err failed = frazil_coordinator_load(&part, argv[1], &err);
    puts(failed == FRAZIL_OK ? "loaded" : err.message);
    return 0;
}
C
"$cc" -o parts parts.c "${objects%% *}" -lpthread -ldl
# part_says WORDS NAME
part_says() {
    ./parts "$2" | grep -q "$1" || fail "the part $2 does not say '$1' but: $(./parts "$2")"
}
part_says '^loaded$' file
if [ -e "$build/parts/libfrazil-redis.so" ]; then
    export LD_LIBRARY_PATH="$build/parts"
    part_says '^loaded$' redis
    sed -i 's/^#define FRAZIL_VERSION ".*"/#define FRAZIL_VERSION "0.0.1"/' frazil.h
    "$cc" -o parts parts.c frazil.c -lpthread -ldl
    part_says 'has version .*0\.0\.1: install the same' redis
    unset LD_LIBRARY_PATH
fi
