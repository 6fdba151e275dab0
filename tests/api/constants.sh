#!/bin/sh
# SPDX-License-Identifier: MIT
# constants.sh ROOT LIBRARY: other languages cannot see macros, so constants have functions that return them.  Each macro
# FRAZIL_X beside which the headers declare a function frazil_x(void) equals what the function of LIBRARY (a .so) returns.
# shellcheck disable=SC2016 # awk has dollars too
set -eu
cd "$1"
library=$2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

find include -name '*.h' ! -name opaque.h | sort | xargs awk '
    /^#define FRAZIL_[A-Z0-9_]+ / { value[tolower($2)] = $2 }
    match($0, /frazil_[a-z0-9_]+\(void\)/) {
        name = substr($0, RSTART, RLENGTH - 6)
        returns[name] = index($0, "char *") ? "text" : "number"
    }
    END {
        print "#include <stdio.h>\n#include <string.h>\n#include <frazil.h>\nint main(void)\n{\n    int bad = 0;"
        for (name in returns) {
            if (!(name in value)) continue
            pairs++
            differ = returns[name] == "text" ? "strcmp(" name "(), " value[name] ") != 0" : name "() != " value[name]
            print "    if (" differ ") { puts(\"" name "() is not " value[name] "\"); bad = 1; }"
        }
        print "    puts(\"" pairs + 0 " constants have a function\");\n    return bad;\n}"
        exit pairs == 0
    }' >"$scratch/constants.c" || { echo "no constant with a function found"; exit 1; }

"${CC:-cc}" -std=c11 -Iinclude -o "$scratch/constants" "$scratch/constants.c" "$library"
LD_LIBRARY_PATH=$(dirname "$library") "$scratch/constants"
