#!/bin/sh
# SPDX-License-Identifier: MIT
# arrows.sh ROOT: who may include whom.
#
#     core <- os, lease           a room sees itself and the rooms to its left, as "core/slot.h"
#     os, lease <- common         each folder of coordinators/ is a room; a coordinator's sees no other coordinator's
#     common <- redis and all other coordinators
#     redis <- compat             nobody sees its rooms: common/foreign.h names what they offer
#     os, lease <- config <- state <- generator
#     opaque                      itself only
#     state <- admin
#     core, os <- extras
#     generator <- cli
#     programs                    the public headers, cli, and the files beside it
#     programs/frazil <- its bench <- bench/lab, as "bench/table.h"
#     config <- bench/fleet, which speaks to coordinators as generators do
#     include                     itself, the compiler's own headers, nothing of POSIX
#
# The settings are the room config's alone: all others read its decision.
# Passwords are left out of texts that people see, and of nothing else: two texts without them are not compared.
#
# Everybody sees the public headers.  The core may include of the system only what needs no libc, and <string.h> for mem*.
# shellcheck disable=SC2016 # awk has dollars too
set -eu
cd "$1"

find include src programs bench -name '*.[ch]' 2>/dev/null | sort | xargs awk '
    BEGIN {
        allowed["core"] = " core "
        allowed["os"] = " core os "
        allowed["lease"] = " core lease "
        allowed["common"] = " core lease os common "
        allowed["compat"] = " core lease os common redis compat "
        allowed["config"] = " core lease os config "
        allowed["state"] = " core lease os config state "
        allowed["generator"] = " core lease os config state generator "
        allowed["admin"] = " core lease os config state admin "
        allowed["extras"] = " core os extras "
        allowed["cli"] = " core lease os config state generator cli "
        allowed[""] = " cli "
        allowed["lab"] = " cli bench "
        allowed["fleet"] = " core os lease config "
        allowed["opaque"] = " opaque "
        redacts = " src/core/secret.c src/core/sentence.c src/config/canonical.c src/cli/cli.c "
        n = split("float limits stdalign stdarg stdatomic stdbool stddef stdint stdnoreturn", free, " ")
        for (i = 1; i <= n; i++) freestanding[free[i] ".h"] = 1
    }
    function wrong(why) { printf "%s:%d: %s\n", FILENAME, FNR, why; bad = 1 }
    function exists(path,    line, found) {
        found = (getline line < path) >= 0
        close(path)
        return found
    }
    function beside(name,    path) {
        path = FILENAME
        sub(/[^\/]*$/, name, path)
        if (exists(path)) return 1
        # The measuring part of the command prints and reads options as the rest of it does.
        if (FILENAME ~ /^(programs\/frazil\/bench|bench\/lab)\// && exists("programs/frazil/" name)) return 1
        # Where nobody named a worker, the daemon does as the command.
        return FILENAME ~ /^programs\/frazild\// && name == "default_worker.h"
    }
    function check_quoted(name, room) {
        if (name ~ /(^|\/)secret\.h$/ && index(redacts, " " FILENAME " ") == 0)
            wrong("leaves passwords out, and writes no text for people: compare what was parsed")
        if (name ~ /\.\./)
            wrong("includes \"" name "\": name the room, not the way to it")
        else if (name !~ /\// && name != "frazil.h") {
            if (!beside(name))
                wrong("includes \"" name "\", which is not beside it: write \"ROOM/" name "\"")
        } else if (name !~ /^frazil(\/|\.h$)/) {
            split(name, path, "/")
            if (name ~ /^config\/(settings|values|behaviours|worker_ask|decide_internal)\.h$/)
                wrong("reads the settings again: read the decision (\"config/decision.h\")")
            if (index(allowed[room], " " path[1] " ") == 0)
                wrong((room == "" ? "this folder" : room) " may not see " path[1] " (\"" name "\")")
        }
    }
    function check_system(name, room) {
        if ((room == "core" || FILENAME ~ /^include/) && !(name in freestanding) && !(room == "core" && name == "string.h"))
            wrong((room == "core" ? "the core" : "a public header") " may not include <" name ">")
    }
    /^[ \t]*#[ \t]*include/ {
        room = ""
        if (FILENAME ~ /^(src|bench)\//) { split(FILENAME, where, "/"); room = where[where[2] == "coordinators" ? 3 : 2] }
        if (where[2] == "coordinators" && !(room in allowed)) allowed[room] = " core lease os common " room " "
        name = $0
        if (match(name, /"[^"]+"/)) check_quoted(substr(name, RSTART + 1, RLENGTH - 2), room)
        else if (match(name, /<[^>]+>/)) check_system(substr(name, RSTART + 1, RLENGTH - 2), room)
        includes++
    }
    END {
        if (includes == 0) { print "no include found at all"; bad = 1 }
        exit bad
    }'
