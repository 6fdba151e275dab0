#!/bin/sh
# SPDX-License-Identifier: MIT
# lengths.sh ROOT: no function above 70 lines, no main() above 40, no .c file of 600 lines or more; over src/ and programs/
# half of the functions have at most 15 lines and 95 % at most 50.  docs/DESIGN.md is read beside the source, within 120 columns.
set -eu
cd "$1"

sources=$(find src programs tests bench examples -name '*.c' 2>/dev/null | sort)
[ -n "$sources" ] || { echo "no source found"; exit 1; }

failed=0
# shellcheck disable=SC2086 # a list of files
wc -l $sources | awk '$2 != "total" && $1 >= 600 { printf "%s:1: %d lines, 599 allowed: split it\n", $2, $1; bad = 1 }
    END { exit bad }' || failed=1

awk 'length > 120 { printf "%s:%d: %d columns, 120 allowed: wrap it\n", FILENAME, FNR, length; bad = 1 } END { exit bad }' \
    docs/DESIGN.md || failed=1

# Fields of ctags: name, file, pattern, kind, line:N, end:N.
# shellcheck disable=SC2086
ctags --quiet --options=NONE -f - --languages=C --langmap=C:.c --kinds-C=f --fields=+ne --excmd=number \
    -D 'TEST(sentence)=void TEST(void)' -D 'TEST_OF_KINDS(over, sentence)=void TEST_OF_KINDS(void)' \
    -D 'BEFORE_EACH=void BEFORE_EACH(void)' -D 'AFTER_EACH=void AFTER_EACH(void)' \
    -D 'BEFORE_ALL=void BEFORE_ALL(void)' -D 'AFTER_ALL=void AFTER_ALL(void)' \
    -I FRAZIL_API,FRAZIL_CHECK,FRAZIL_NONNULL+ $sources | sort -t "$(printf '\t')" -k 2,2 | awk -F '\t' '
    {
        for (i = 4; i <= NF; i++) {
            if ($i ~ /^line:/) from = substr($i, 6)
            if ($i ~ /^end:/) to = substr($i, 5)
        }
        lines = to - from + 1
        max = $1 == "main" ? 40 : 70
        if (lines > max) {
            printf "%s:%d: %s() has %d lines, %d allowed: split it\n", $2, from, $1, lines, max
            bad = 1
        }
        if ($2 ~ /^(src|programs)\//) { count[lines]++; functions++ }
    }
    # The least length that at least this share of the functions does not exceed.
    function quantile(share,    length_, seen) {
        for (length_ = 0; seen < share * functions; length_++) seen += count[length_]
        return length_ - 1
    }
    END {
        if (functions > 0) {
            median = quantile(0.5)
            p95 = quantile(0.95)
            printf "%d functions, median %d lines, 95 %% have at most %d\n", functions, median, p95
            if (median > 15 || p95 > 50) { print "src:1: at most 15 and 50 are allowed"; bad = 1 }
        }
        exit bad
    }' || failed=1
exit $failed
