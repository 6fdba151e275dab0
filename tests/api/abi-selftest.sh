#!/bin/sh
# SPDX-License-Identifier: MIT
# abi-selftest.sh: abi.sh tells of headers that break programs, and of what docs/abi.md lets grow; what is only added passes.
# shellcheck disable=SC2016 # $ is sed's last line
set -eu

api=$(dirname "$(realpath "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/tests" "$scratch/include"
cp "$api/abi.sh" "$scratch/tests"
cat >"$scratch/before.h" <<'END'
#include <stdint.h>
#ifndef FRAZIL_API
#define FRAZIL_API
#endif
#define FRAZIL_MOST UINT64_MAX
#define FRAZIL_NOWHERE (-1)
typedef enum frazil_state {
    FRAZIL_STATE_GOOD = 0,
    FRAZIL_STATE_BAD = 1,
    FRAZIL_STATE_FORCE_INT = 0x7fffffff
} frazil_state;
typedef struct frazil_row {
    uint32_t state;
    uint32_t reserved[3];
    uint64_t count;
} frazil_row;
typedef void (*frazil_fn)(void *ctx, const frazil_row *row);
FRAZIL_API __attribute__((warn_unused_result)) int frazil_read(frazil_row *ret, uint64_t wait_ns) __attribute__((nonnull(1)));
FRAZIL_API void frazil_call(frazil_fn fn, frazil_state state);
FRAZIL_API void frazil_close(void);
END

# header SED...: the public header is the one before, but for this.
header() {
    cp "$scratch/before.h" "$scratch/include/frazil.h"
    [ $# = 0 ] || sed -i "$@" "$scratch/include/frazil.h"
    [ $# = 0 ] || ! cmp -s "$scratch/before.h" "$scratch/include/frazil.h" || { echo "changes nothing: $*" && exit 1; }
}

# tells WORDS SED...: such a header is told with these words.
tells() {
    sentence=$1
    shift
    header "$@"
    if sh "$scratch/tests/abi.sh" "$scratch" >"$scratch/output" 2>&1; then
        echo "does not find: $*" && exit 1
    fi
    grep -qF -- "$sentence" "$scratch/output" || { echo "fails, but not with: $sentence" && cat "$scratch/output" && exit 1; }
}

passes() {
    header "$@"
    sh "$scratch/tests/abi.sh" "$scratch" >"$scratch/output" 2>&1 || { echo "refuses: $*" && cat "$scratch/output" && exit 1; }
}

tells 'make update-abi writes it' -e '$a\/* no dump yet *\/'
header
sh "$scratch/tests/abi.sh" --update "$scratch"
passes -e '$a\/* the same *\/'

# What breaks programs.
tells "member insertion" -e 's/^    uint64_t count;/    uint64_t inserted;\n&/'
tells "offset changed from" -e '/uint32_t state;/d' -e 's/^    uint64_t count;/&\n    uint32_t state;/'
tells "'uint64_t count'" -e 's/uint64_t count/uint32_t count/'
tells "from value '1' to '2'" -e 's/FRAZIL_STATE_BAD = 1/FRAZIL_STATE_BAD = 2/'
tells 'abi_of_FRAZIL_STATE_BAD' -e 's/FRAZIL_STATE_BAD/FRAZIL_STATE_POOR/'
tells "from value '-1' to '7'" -e 's/UINT64_MAX/7/'
tells 'abi_of_FRAZIL_NOWHERE' -e '/FRAZIL_NOWHERE/d'
tells "parameter 2 of type 'typedef uint64_t' changed" -e 's/uint64_t wait_ns/uint32_t wait_ns/'
tells "parameter 2 of type 'typedef uint64_t' was removed" -e 's/, uint64_t wait_ns//'
tells 'return type changed' -e 's/int frazil_read/uint64_t frazil_read/'
tells "abi_of_frazil_call" -e 's/(void \*ctx, const/(const/'
tells "[D] 'void ()* abi_of_frazil_close'" -e '/frazil_close/d'

# What docs/abi.md allows: to look at, before the dump is written anew.
tells 'if it allows this: make update-abi' -e 's/^    uint32_t reserved\[3\];/    uint32_t since;\n    uint32_t reserved[2];/'
tells 'if it allows this: make update-abi' -e 's/^    uint64_t count;/&\n    uint64_t more;/'

# What is only added.
passes -e 's/^    FRAZIL_STATE_BAD = 1,/&\n    FRAZIL_STATE_LOST = 2,/'
passes -e '$aFRAZIL_API void frazil_stop(void);'
passes -e '$a#define FRAZIL_LEAST 0'
passes -e '$atypedef struct frazil_other { int number; } frazil_other;'

tells 'no function or no constant found' -e '/FRAZIL_API/d'
