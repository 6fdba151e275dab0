#!/bin/sh
# SPDX-License-Identifier: MIT
# limits.sh ROOT: a limit of time in a test is for hangs: PATIENCE_S of lib/patience.h and harness.py, or no less than that.  In C
# it is no number of tries.  A coordinator that answers has all the time that a URL can give it, 60s; one that does not is given up
# after 8s or less.
set -eu
cd "$1"

# shellcheck disable=SC2016 # awk has dollars too
find tests bindings databases web/test -type f \( -name '*.[ch]' -o -name '*.py' -o -name '*.bats' -o -name '*.bash' -o -name '*.sh' -o -name '*.js' -o -name '*.mjs' \) 2>/dev/null |
    grep -vE '^tests/(clusters|style|simulator|memory_model)/|_url\.c$' | sort | xargs awk '
    function complain(what) {
        printf "%s:%d: %s\n", FILENAME, FNR, what
        bad = 1
    }

    # Whether a number of at least from, and less than below, follows the words.
    function follows(words, from, below,    rest, n) {
        for (rest = $0; match(rest, words "[0-9][0-9_]*"); rest = substr(rest, RSTART + RLENGTH)) {
            n = substr(rest, RSTART, RLENGTH)
            sub(words, "", n)
            gsub("_", "", n)
            if (n + 0 >= from && n + 0 < below)
                return 1
        }
        return 0
    }

    FNR == 1 { files++ }
    FILENAME ~ /\.[ch]$/ && follows("alarm\\(", 1, 300) { complain("alarm after less than five minutes: PATIENCE_S") }
    FILENAME ~ /^tests\/(coordinators|lib|nemesis|process)\/.*\.[ch]$/ && /for \(.*tries/ { complain("counts tries: AWAIT of lib/patience.h") }
    FILENAME ~ /\.py$/ && follows("(settimeout|process\\.wait|running\\.wait|\\.join)\\(", 1, 300) { complain("less than five minutes: PATIENCE_S of harness.py") }
    FILENAME ~ /^tests\/frazild\/.*\.py$/ && follows("[(, ]timeout=", 1, 300) { complain("less than five minutes: PATIENCE_S of harness.py") }
    FILENAME ~ /\.(sh|bats|bash)$/ && follows("(^|[ (])timeout (-k [0-9]+ )?", 1, 300) { complain("timeout of less than five minutes") }
    FILENAME ~ /\.m?js$/ && follows("timeout: ", 1, 300000) { complain("timeout of less than five minutes") }
    follows("[?&]timeout=", 9, 60) && /[?&]timeout=[0-9]+s/ { complain("timeout of a URL: 60s if it is answered, 8s at most if not") }
    END {
        if (files == 0) { print "no test found"; bad = 1 }
        exit bad
    }'
