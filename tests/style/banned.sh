#!/bin/sh
# SPDX-License-Identifier: MIT
# banned.sh ROOT: calls that have no place here, and what to use instead.
set -eu
cd "$1"
style=$(dirname "$(realpath "$0")")

# folders (a prefix)|call|what to use instead|files that may use it
find src programs tests bench examples -name '*.[ch]' 2>/dev/null | sort | xargs awk -f "$style/strip.awk" | awk '
    BEGIN {
        table = \
            "src/|time|the clock port\n" \
            "src/|gettimeofday|the clock port\n" \
            "src/|localtime|frazil_time_format\n" \
            "src/|gmtime|frazil_time_format\n" \
            "src/|exit|return an error: a library never ends its process\n" \
            "src/|_exit|return an error: a library never ends its process\n" \
            "src/|abort|return an error, or assert\n" \
            "src/|printf|fz_fail: a library never prints\n" \
            "src/|fprintf|fz_fail: a library never prints\n" \
            "src/|dprintf|fz_fail: a library never prints\n" \
            "src/|puts|fz_fail: a library never prints\n" \
            "src/|fputs|fz_fail: a library never prints\n" \
            "src/|putchar|fz_fail: a library never prints\n" \
            "src/|perror|fz_fail: a library never prints\n" \
            "src/|signal|nothing: a library installs no signal handler\n" \
            "src/|sigaction|nothing: a library installs no signal handler\n" \
            "src/|setlocale|nothing: the locale is the program'\''s\n" \
            "src/|snprintf|fz_sentence_*, which knows no locale\n" \
            "src/|getenv|fz_environment, which trusts no environment of a set-user-ID program\n" \
            "src/|secure_getenv|fz_environment: only some libraries have this call\n" \
            "programs/|getenv|fz_typed_variable, which trusts no environment of a set-user-ID program\n" \
            "src/|getpid|fz_fork_mark_read: ids of processes repeat in other PID namespaces; only people may be shown one|src/generator/open.c src/home/grant_store.c src/os/worker_lock.c src/os/fork_mark.c\n" \
            "|pthread_mutex_timedlock|what waits on the monotonic clock: the wall clock can be set\n" \
            "|pthread_rwlock_timedrdlock|what waits on the monotonic clock: the wall clock can be set\n" \
            "|pthread_rwlock_timedwrlock|what waits on the monotonic clock: the wall clock can be set\n" \
            "|sem_timedwait|what waits on the monotonic clock: the wall clock can be set\n" \
            "|mtx_timedlock|what waits on the monotonic clock: the wall clock can be set\n" \
            "|cnd_timedwait|what waits on the monotonic clock: the wall clock can be set\n" \
            "src/registers/|memset|fz_wipe, which is not left out where nobody reads the bytes any more\n" \
            "src/core/|malloc|memory of the caller\n" \
            "src/core/|calloc|memory of the caller\n" \
            "src/core/|free|memory of the caller\n" \
            "src/core/|strlen|fz_text_len\n" \
            "|rand|fz_host_entropy, or a seeded generator in a test\n" \
            "|srand|fz_host_entropy, or a seeded generator in a test\n" \
            "|random|fz_host_entropy, or a seeded generator in a test\n" \
            "|sprintf|snprintf\n" \
            "|vsprintf|vsnprintf\n" \
            "|strcpy|memcpy with a size that was checked\n" \
            "|strcat|snprintf\n" \
            "|strncpy|memcpy with a size that was checked\n" \
            "|strncat|snprintf\n" \
            "|gets|getline\n" \
            "|atoi|frazil_id_parse, or strtol with all its checks\n" \
            "|atol|frazil_id_parse, or strtol with all its checks\n" \
            "|atoll|frazil_id_parse, or strtoll with all its checks\n" \
            "|atof|strtod with all its checks\n" \
            "|strtok|strcspn and strspn\n" \
            "|sscanf|a parser that names the position\n" \
            "|usleep|clock_nanosleep to an absolute time; in a test, the manual clock\n" \
            "|sleep|clock_nanosleep to an absolute time; in a test, the manual clock\n" \
            "|nanosleep|clock_nanosleep to an absolute time; in a test, the manual clock\n" \
            "|alloca|an array of a fixed size\n" \
            "|system|nothing: no shell\n" \
            "|tmpnam|mkstemp\n" \
            "|mktemp|mkstemp\n"
        n = split(table, rows, "\n")
        for (i = 1; i < n; i++) {
            split(rows[i], cell, "|")
            folder[i] = cell[1]
            call[i] = cell[2]
            instead[i] = cell[3]
            allowed[i] = " " cell[4] " "
        }
    }
    {
        file = $0
        sub(/:.*/, "", file)
        text = $0
        sub(/^[^:]*:[0-9]*:/, "", text)
        line = substr($0, length(file) + 2)
        sub(/:.*/, "", line)
        lines++
        if (text ~ /pthread_condattr_setclock\(.*CLOCK_MONOTONIC/) monotonic[file] = 1
        if (text ~ /(^|[^A-Za-z0-9_])pthread_cond_timedwait[ ]*\(/ && !(file in waits)) waits[file] = line
        for (i = 1; i < n; i++) {
            if (call[i] == "getenv" && file == "src/os/host.c")
                continue # where it is wrapped
            # Not a member (clock.sleep), not a longer name (clock_nanosleep).
            if (index(text, call[i]) && index(file, folder[i]) == 1 && !index(allowed[i], " " file " ") && text ~ ("(^|[^A-Za-z0-9_.>])" call[i] "[ ]*\\(")) {
                printf "%s:%s: %s() is banned: use %s\n", file, line, call[i], instead[i]
                bad = 1
            }
        }
    }
    END {
        for (file in waits) {
            if (!(file in monotonic)) {
                printf "%s:%s: pthread_cond_timedwait() is banned without pthread_condattr_setclock(CLOCK_MONOTONIC)\n", file, waits[file]
                bad = 1
            }
        }
        if (lines == 0) { print "no source found"; bad = 1 }
        exit bad
    }'
