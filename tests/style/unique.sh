#!/bin/sh
# SPDX-License-Identifier: MIT
# unique.sh ROOT: names of file scope are unique in the library.  So all of it can be one file, and a name says in which file
# it is.  Asked are functions, variables, types and their constants of the .c files, and functions that headers define.
# Macros end with their file there.
set -eu
cd "$1"

sources=$(find src -name '*.[ch]' 2>/dev/null | awk '!/^src\/(opaque|admin|cli)\// && (!/^src\/coordinators\// || /\/file\//)' | sort)
[ -n "$sources" ] || { echo "no source found"; exit 1; }

# shellcheck disable=SC2086 # a list of files
ctags --quiet --options=NONE -f - --languages=C --langmap=C:.c.h --kinds-C=efgstuv --fields=+n --excmd=number \
    -I FZ_PRIVATE,FRAZIL_API $sources |
    awk -F '\t' '
        # Two files for the same system calls: only one of them is compiled.
        function place(file) { sub(/^src\/os\/(linux|posix)\//, "src/os/*/", file); return file }
        $2 ~ /\.h$/ && $4 != "f" { next } # a type may be called as a function is
        $1 !~ /^(__anon|FZ_)/ { # constants of headers stand in tables of several files
            for (i = 4; i <= NF; i++) if ($i ~ /^line:/) line = substr($i, 6)
            names++
            if (!($1 in at)) { at[$1] = $2 ":" line; in_file[$1] = place($2); next }
            if (in_file[$1] == place($2)) next
            printf "%s:%d: %s is also a name of %s\n", $2, line, $1, at[$1]
            bad = 1
        }
        END {
            if (names == 0) { print "no name found"; bad = 1 }
            exit bad
        }'
