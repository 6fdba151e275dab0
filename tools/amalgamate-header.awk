# SPDX-License-Identifier: MIT
# Makes one public header of many for tools/amalgamate: each of them where it is first needed, without its guard.
# Arguments: the headers.
BEGIN {
    print "#ifndef FRAZIL_H\n#define FRAZIL_H"
    for (a = 1; a < ARGC; a++) write(ARGV[a])
    print "\n#endif"
}

function write(file,    lines, n, i, line, dir, guard) {
    if (file in written) return
    written[file] = 1
    while ((getline line < file) > 0) lines[++n] = line
    close(file)
    dir = substr(file, 1, match(file, /[^\/]*$/) - 1)
    for (i = 1; i <= n; i++) {
        if (lines[i] ~ /^#include "/) {
            split(lines[i], quoted, "\"")
            write(dir quoted[2])
        }
    }
    print "\n/* ---- " file " ---- */\n"
    for (i = 1; i <= n; i++) {
        line = lines[i]
        if (guard == "" && line ~ /^#ifndef FRAZIL_[A-Z]*_?H$/) guard = substr(line, 9)
        else if (line ~ /SPDX-License-Identifier|^#include "/ || line == "#define " guard || (i == n && line == "#endif"))
            ;
        else if (line != "" || before != "")
            print line
        before = line
    }
}
