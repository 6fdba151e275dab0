#!/bin/sh
# SPDX-License-Identifier: MIT
# constants.sh ROOT LIBRARY: other languages cannot see macros, so frazil_get_constants of LIBRARY (a .so) has the numbers
# among the macros and enumerators of frazil.h and frazil/extras.h, each of them and no other, as the compiler has them.
# A count of a list that grows is none (style/growth).
set -eu
cd "$1"
library=$2
cc=${CC:-cc}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

printf '#include <frazil.h>\n#include <frazil/extras.h>\n' >"$scratch/headers.c"
{
    # Macros with a value that is no text and no attribute, and takes no argument.
    "$cc" -std=c11 -Iinclude -dM -E "$scratch/headers.c" |
        sed -n 's/^#define \(FRAZIL_[A-Z0-9_]*\) \([-+(0-9A-Z].*\)/\1/p'
    # Enumerators, but for those that only make an enum as large as an int.
    "$cc" -std=c11 -Iinclude -E -P "$scratch/headers.c" | grep -o 'FRAZIL_[A-Z0-9_]* = ' | sed 's/ = //; /_FORCE_INT$/d'
} | LC_ALL=C sort -u | sed '/_COUNT$/d' >"$scratch/names"
[ -s "$scratch/names" ] || { echo "no constant found"; exit 1; }

{
    cat "$scratch/headers.c"
    printf '#include <stdio.h>\n#include <string.h>\nstatic const struct { const char *name; int64_t value; } wanted[] = {\n'
    sed 's/.*/    {"&", (int64_t)(&)},/' "$scratch/names"
    cat <<'END'
};
int main(void)
{
    static frazil_constant rows[1000];
    size_t n = frazil_get_constants(rows, 1000), all = sizeof wanted / sizeof wanted[0];
    int bad = 0;
    for (size_t i = 0; i < all; i++) {
        size_t k = 0;
        while (k < n && strcmp(rows[k].name, wanted[i].name) != 0)
            k++;
        if (k == n || rows[k].value != wanted[i].value)
            bad = printf("%s is %s\n", wanted[i].name, k == n ? "missing" : "another number") > 0;
    }
    for (size_t k = 0; k < n; k++) {
        size_t i = 0;
        while (i < all && strcmp(rows[k].name, wanted[i].name) != 0)
            i++;
        if (i == all)
            bad = printf("%s is none of the headers\n", rows[k].name) > 0;
    }
    printf("%zu constants\n", n);
    return bad;
}
END
} >"$scratch/constants.c"
"$cc" -std=c11 -Iinclude -o "$scratch/constants" "$scratch/constants.c" "$library"
LD_LIBRARY_PATH=$(dirname "$library") "$scratch/constants"
