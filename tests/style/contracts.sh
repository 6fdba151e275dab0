#!/bin/sh
# SPDX-License-Identifier: MIT
# contracts.sh ROOT: each function that a header of include/, src/ or programs/ declares has a comment above it.  Functions
# that follow each other without an empty line between them share one; so do a constant and the function that returns it.
# In include/, _open makes a handle and says why it did not, and _close ends it.
set -eu
cd "$1"

headers=$(find include src programs -name '*.h' 2>/dev/null | sort)
[ -n "$headers" ] || { echo "no header found"; exit 1; }

# shellcheck disable=SC2086 # a list of files
ctags --quiet --options=NONE -f - --languages=C --langmap=C:.h --kinds-C=pf --fields=+nS --excmd=number \
    -I FZ_PRIVATE,FRAZIL_API,FRAZIL_CHECK,FRAZIL_NONNULL+ $headers |
    awk -F '\t' '
        {
            for (i = 4; i <= NF; i++) if ($i ~ /^line:/) line = substr($i, 6)
            functions++
            if (!($2 in read_to)) read_file($2)
            if (!has_comment($2, line)) {
                printf "%s:%d: %s() has no contract: a comment above it\n", $2, line, $1
                bad = 1
            }
            if ($2 ~ /^include\//) check_name($1, $2 ":" line, $0)
        }
        # frazil_salt_new makes a number.
        function check_name(name, at, tag) {
            if (name ~ /_(new|free|create|destroy)$/ && name != "frazil_salt_new") {
                printf "%s: %s(): a handle has _open and _close\n", at, name
                bad = 1
            }
            if (name ~ /_open(_[a-z]+)?$/ && tag !~ /frazil_error \* ?reterr\)/) {
                printf "%s: %s() cannot say why it failed: no reterr\n", at, name
                bad = 1
            }
        }
        function read_file(file,    text, n) {
            while ((getline text < file) > 0) source[file, ++n] = text
            read_to[file] = n
            close(file)
        }
        # Up to the comment, through declarations that follow each other; an empty line or a condition ends it.
        function has_comment(file, line,    text) {
            while (--line > 0) {
                text = source[file, line]
                if (text ~ /\*\/[ \t]*$/ && text !~ /;[ \t]*\/\*/) return 1
                if (text ~ /^[ \t]*$/ || (text ~ /^#/ && text !~ /^#define/)) return 0
            }
            return 0
        }
        END {
            if (functions == 0) { print "no declaration found"; bad = 1 }
            exit bad
        }'
