#!/bin/sh
# SPDX-License-Identifier: MIT
# selftest.sh: the checks of this folder refuse what they are there to refuse.
set -eu

api=$(dirname "$(realpath "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/tests/api" "$scratch/include/frazil" "$scratch/lib" "$scratch/parts"
cp "$api"/*.sh "$scratch/tests/api"
cc=${CC:-cc}

must_fail() {
    sentence=$1
    shift
    if sh "$@" >"$scratch/output" 2>&1; then
        echo "does not find: $sentence" && exit 1
    fi
    grep -qF -- "$sentence" "$scratch/output" || { echo "fails, but not with: $sentence" && cat "$scratch/output" && exit 1; }
}

# library TEXT: a libfrazil, shared and static, of this source.
library() {
    echo "$1" >"$scratch/lib/a.c"
    "$cc" -fPIC -c -o "$scratch/lib/a.o" "$scratch/lib/a.c"
    "$cc" -shared -Wl,--version-script="$scratch/map" -o "$scratch/lib/libfrazil.so" "$scratch/lib/a.o"
    rm -f "$scratch/lib/libfrazil.a"
    ar rcs "$scratch/lib/libfrazil.a" "$scratch/lib/a.o"
}

echo 'FRAZIL_1.0 { global: frazil_*; fz_*; local: *; };' >"$scratch/map"
echo 'int frazil_a(void);' >"$scratch/include/a.h"
echo 'int frazil_coordinator_x(void);' >"$scratch/include/frazil/coordinators.h"
echo 'frazil_a' >"$scratch/tests/api/exported-symbols.txt"
library 'int frazil_a(void) { return 1; }'
sh "$scratch/tests/api/symbols.sh" "$scratch/lib" "$scratch/parts"
echo '{ global: *; };' >"$scratch/map"
library 'int frazil_a(void) { return 1; }'
must_fail 'have no version' "$scratch/tests/api/symbols.sh" "$scratch/lib" "$scratch/parts"
echo 'FRAZIL_1.0 { global: frazil_*; fz_*; local: *; };' >"$scratch/map"
library 'int frazil_a(void) { return 1; } int fz_b(void) { return 1; }'
must_fail '> fz_b' "$scratch/tests/api/symbols.sh" "$scratch/lib" "$scratch/parts"
must_fail 'only frazil_* may be exported' "$scratch/tests/api/symbols.sh" "$scratch/lib" "$scratch/parts"
library 'int frazil_c(void) { return 1; }'
must_fail '< frazil_a' "$scratch/tests/api/symbols.sh" "$scratch/lib" "$scratch/parts"
library 'int frazil_a(void) { return 1; }'
library 'int frazil_coordinator_x(void) { return 1; }'
for kind in so a; do
    mv "$scratch/lib/libfrazil.$kind" "$scratch/parts/libfrazil-x.$kind"
done
library 'int frazil_a(void) { return 1; }'
sh "$scratch/tests/api/symbols.sh" "$scratch/lib" "$scratch/parts"
echo 'int frazil_coordinator_y(void);' >"$scratch/include/frazil/coordinators.h"
must_fail 'coordinators.h does not declare frazil_coordinator_x' "$scratch/tests/api/symbols.sh" "$scratch/lib" "$scratch/parts"
library 'int frazil_coordinator_x(void) { return 1; } int frazil_a(void) { return 1; }'
mv "$scratch/lib/libfrazil.so" "$scratch/parts/libfrazil-x.so"
library 'int frazil_a(void) { return 1; }'
must_fail '> frazil_a' "$scratch/tests/api/symbols.sh" "$scratch/lib" "$scratch/parts"
rm -f "$scratch/parts"/*
echo 'int frazil_a(void); int frazil_d(void);' >"$scratch/include/a.h"
must_fail '> frazil_d' "$scratch/tests/api/symbols.sh" "$scratch/lib" "$scratch/parts"

# object TEXT: an object of the core of this source.
object() {
    echo "$1" | "$cc" -x c -c -o "$scratch/core.o" -
}

object 'void *memcpy(void *, const void *, unsigned long); void a(void *p, void *q, long n) { memcpy(p, q, n); }'
sh "$api/pure.sh" "$scratch/core.o"
object 'int puts(const char *); void a(void) { puts("a"); }'
must_fail 'the core needs puts' "$api/pure.sh" "$scratch/core.o"
object 'int state;'
must_fail 'the core keeps state in state' "$api/pure.sh" "$scratch/core.o"
object 'static int state = 1; int next(void) { return state++; }'
must_fail 'the core keeps state in its section .data' "$api/pure.sh" "$scratch/core.o"

# three_objects FIRST SECOND THIRD: objects of these sources.
three_objects() {
    for name in a b c; do
        echo "$1" | "$cc" -x c -c -o "$scratch/$name.o" -
        shift
    done
}

three_objects 'int b(void); int a(void) { return b(); }' 'int c(void); int b(void) { return c(); }' 'int c(void) { return 1; }'
sh "$api/circles.sh" "$scratch/a.o" "$scratch/b.o" "$scratch/c.o"
three_objects 'int b(void); int a(void) { return b(); }' 'int c(void); int b(void) { return c(); }' 'int a(void); int c(void) { return a(); }'
must_fail 'a circle of objects' "$api/circles.sh" "$scratch/a.o" "$scratch/b.o" "$scratch/c.o"
three_objects '' '' ''
must_fail 'no symbol found' "$api/circles.sh" "$scratch/a.o"

mkdir -p "$scratch/tools" "$scratch/tests/concurrency" "$scratch/docs" "$scratch/examples" "$scratch/bindings/rust/frazil-sys" "$scratch/bindings/go"
cp "$api/../../tools/sources" "$scratch/tools"
rm -f "$scratch"/tests/api/exported-symbols-*.txt
printf 'frazil_a\nfrazil_get_fast_path\n' >"$scratch/tests/api/exported-symbols.txt"
needed=$scratch/tests/api/needed.sh
must_fail 'nobody to use it found' "$needed" "$scratch"
for file in docs/fast-path.md tests/concurrency/test_fast_path.c; do
    echo 'frazil_get_fast_path()' >"$scratch/$file"
done
echo 'frazil_a();' >"$scratch/examples/a.c"
sh "$needed" "$scratch"
rm "$scratch/tests/concurrency/test_fast_path.c"
must_fail 'nobody needs frazil_get_fast_path()' "$needed" "$scratch"
echo 'frazil_get_fast_path()' >"$scratch/bindings/go/a.go"
sh "$needed" "$scratch"
echo 'frazil_ab();' >"$scratch/examples/a.c"
for file in bindings/rust/frazil-sys/a.rs bindings/go/a_test.go examples/README.md; do
    echo 'frazil_a()' >"$scratch/$file"
done
must_fail 'nobody needs frazil_a()' "$needed" "$scratch"

allowed=$(sed -n 's/^allowed=//p' "$api/size.sh")
library "const char frazil_a[$allowed] = \"a\";"
must_fail "$allowed allowed" "$api/size.sh" "$scratch/lib/libfrazil.so" GNU

mkdir -p "$scratch/include"
: >"$scratch/include/frazil/extras.h"
rows='#include <stddef.h>
#include <stdint.h>
typedef struct frazil_constant { const char *name; int64_t value; } frazil_constant;
size_t frazil_get_constants(frazil_constant *ret, size_t n);
'
printf '%s#define FRAZIL_A 1\ntypedef enum frazil_b { FRAZIL_B = 2, FRAZIL_B_FORCE_INT = 9 } frazil_b;\n' "$rows" >"$scratch/include/frazil.h"
give() {
    library "$rows size_t frazil_get_constants(frazil_constant *ret, size_t n) {
        const frazil_constant all[] = {$1}; size_t i = 0;
        for (; i < sizeof all / sizeof all[0] && i < n; i++) ret[i] = all[i];
        return i; }"
}
give '{"FRAZIL_A", 1}, {"FRAZIL_B", 2}'
sh "$api/constants.sh" "$scratch" "$scratch/lib/libfrazil.so"
give '{"FRAZIL_A", 1}, {"FRAZIL_B", 3}'
must_fail 'FRAZIL_B is another number' "$api/constants.sh" "$scratch" "$scratch/lib/libfrazil.so"
give '{"FRAZIL_A", 1}'
must_fail 'FRAZIL_B is missing' "$api/constants.sh" "$scratch" "$scratch/lib/libfrazil.so"
give '{"FRAZIL_A", 1}, {"FRAZIL_B", 2}, {"FRAZIL_C", 3}'
must_fail 'FRAZIL_C is none of the headers' "$api/constants.sh" "$scratch" "$scratch/lib/libfrazil.so"
: >"$scratch/include/frazil.h"
must_fail 'no constant found' "$api/constants.sh" "$scratch" "$scratch/lib/libfrazil.so"

rm "$scratch/include/frazil"/* "$scratch/include/a.h"
printf 'typedef enum frazil_a {\n    FRAZIL_A = 1\n} frazil_a;\n' >"$scratch/include/frazil.h"
must_fail 'frazil_a is not an int' "$api/enums.sh" "$scratch" "$scratch/lib/libfrazil.so"
printf 'typedef int frazil_a;\n' >"$scratch/include/frazil.h"
must_fail 'no enum found' "$api/enums.sh" "$scratch" "$scratch/lib/libfrazil.so"

# A header that not every standard has, or with something that a compiler may warn of.
echo 'int frazil_a(int n); /* good */' >"$scratch/include/frazil.h"
echo '#include <frazil.h>' >"$scratch/names.c"
sh "$api/standards.sh" "$scratch" "$scratch/names.c"
echo '_Static_assert(1, "of C11");' >>"$scratch/include/frazil.h"
must_fail 'as c99, with gcc' "$api/standards.sh" "$scratch"
echo 'int frazil_a(int class);' >"$scratch/include/frazil.h"
must_fail 'as c++11, with g++' "$api/standards.sh" "$scratch"
echo 'int frazil_a();' >"$scratch/include/frazil.h"
must_fail 'as c99, with gcc' "$api/standards.sh" "$scratch"
echo 'struct frazil_a { char a; int b; };' >"$scratch/include/frazil.h"
must_fail 'padding struct' "$api/standards.sh" "$scratch"
printf 'enum a { A };\ntypedef char frazil_a[sizeof(enum a) == sizeof(int) ? 1 : -1];\n' >"$scratch/include/frazil.h"
must_fail 'as c99, with gcc -fshort-enums' "$api/standards.sh" "$scratch"
echo 'int frazil_a(int n);' >"$scratch/include/frazil.h"
echo 'void b(void) { int class = 1; }' >"$scratch/names.c"
must_fail 'unused variable' "$api/standards.sh" "$scratch" "$scratch/names.c"
rm "$scratch/include/frazil.h"
must_fail 'no header found' "$api/standards.sh" "$scratch"
