#!/bin/sh
# SPDX-License-Identifier: MIT
# printing.sh ROOT: the command prints through output.c and complain.c alone, which make foreign text harmless, and no
# other file of it has an escape for terminals.
set -eu
cd "$1"

find programs/frazil -name '*.[ch]' 2>/dev/null | sort | xargs awk '
    FNR == 1 { prints = FILENAME ~ /\/(output|complain)\.[ch]$/; files++ }
    prints { next }
    /(^|[^A-Za-z0-9_])(printf|fprintf|vprintf|vfprintf|dprintf|puts|fputs|putchar|putc|fputc|fwrite|write|writev|perror)[ ]*\(/ {
        printf "%s:%d: prints by itself: use output_foreign for foreign text, output_string or complain for ours\n", FILENAME, FNR
        bad = 1
    }
    /\\(033|33|x1[bB]|e)/ {
        printf "%s:%d: has an escape for terminals: use output_color\n", FILENAME, FNR
        bad = 1
    }
    END {
        if (files == 0) { print "no source of the command found"; bad = 1 }
        exit bad
    }'
