#!/bin/sh
# SPDX-License-Identifier: MIT
# kept.sh ROOT: no struct of the library keeps a descriptor as a number alone, because the program may close it and open
# something else under the same number.  A struct's members end with its closing brace; local variables are none.
set -eu
cd "$1"
style=$(dirname "$(realpath "$0")")

find src -name '*.[ch]' | sort | xargs awk -f "$style/strip.awk" | awk '
    {
        file = $0
        sub(/:.*/, "", file)
        line = substr($0, length(file) + 2)
        sub(/:.*/, "", line)
        text = $0
        sub(/^[^:]*:[0-9]*:/, "", text)
        lines++
    }
    file != last { depth = 0; last = file }
    text ~ /^(typedef )?(static )?(const )?(struct|union)( [a-z_0-9]+)? \{/ { depth = 1; next }
    depth && /\{/ { depth++ }
    depth && text ~ /(^|[^a-z_])int ([a-z_0-9]*_)?(fd|fds|socket|sockets)(\[[^]]*\])?;/ && file != "src/os/kept_fd.h" {
        printf "%s:%s: a descriptor is kept as a number: use struct fz_kept_fd (os/kept_fd.h)\n", file, line
        bad = 1
    }
    depth && /\}/ { depth-- }
    END {
        if (lines == 0) { print "no source found"; bad = 1 }
        exit bad
    }'
