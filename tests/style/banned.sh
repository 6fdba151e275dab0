#!/bin/sh
# SPDX-License-Identifier: MIT
# banned.sh ROOT: calls that have no place here, and what to use instead.
set -eu
cd "$1"
style=$(dirname "$(realpath "$0")")
failed=0

# folders (a prefix)|call|what to use instead|files, or folders with a slash behind, that may use it
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
            "src/|sigaction|nothing: a library installs no signal handler|src/coordinators/mysql/mysql_client.c\n" \
            "src/|setlocale|nothing: the locale is the program'\''s\n" \
            "src/|snprintf|fz_sentence_*, which knows no locale\n" \
            "src/|getenv|fz_environment, which trusts no environment of a set-user-ID program\n" \
            "src/|secure_getenv|fz_environment: only some libraries have this call\n" \
            "programs/|getenv|fz_typed_variable, which trusts no environment of a set-user-ID program\n" \
            "src/|getpid|fz_fork_mark_read: ids of processes repeat in other PID namespaces; only people may be shown one|src/generator/open.c src/state/grant_store.c src/os/worker_lock.c src/os/linux/ src/os/posix/\n" \
            "src/|socket|fz_socket_open: a program that is executed meanwhile would have it, too|src/os/linux/ src/os/posix/\n" \
            "src/|socketpair|fz_socket_pair: a program that is executed meanwhile would have both, too|src/os/linux/ src/os/posix/\n" \
            "|pthread_mutex_timedlock|what waits on the monotonic clock: the wall clock can be set\n" \
            "|pthread_rwlock_timedrdlock|what waits on the monotonic clock: the wall clock can be set\n" \
            "|pthread_rwlock_timedwrlock|what waits on the monotonic clock: the wall clock can be set\n" \
            "|sem_timedwait|what waits on the monotonic clock: the wall clock can be set\n" \
            "|mtx_timedlock|what waits on the monotonic clock: the wall clock can be set\n" \
            "|cnd_timedwait|what waits on the monotonic clock: the wall clock can be set\n" \
            "src/coordinators/|memset|fz_wipe, which is not left out where nobody reads the bytes any more\n" \
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
            allowed[i] = cell[4]
        }
    }
    function may(file, list,    names, k, count) {
        count = split(list, names, " ")
        for (k = 1; k <= count; k++) {
            if (file == names[k] || (names[k] ~ /\/$/ && index(file, names[k]) == 1)) return 1
        }
        return 0
    }
    {
        file = $0
        sub(/:.*/, "", file)
        text = $0
        sub(/^[^:]*:[0-9]*:/, "", text)
        line = substr($0, length(file) + 2)
        sub(/:.*/, "", line)
        lines++
        if (text ~ /pthread_condattr_setclock\(.*CLOCK_MONOTONIC|fz_monotonic_condition_init\(/) monotonic[file] = 1
        # Not where a test stands in for it.
        if (text ~ /(^|[^A-Za-z0-9_])pthread_cond_timedwait[ ]*\(/ && text !~ /^int pthread/ && !(file in waits)) waits[file] = line
        # The bytes of a struct slice are absent, or hold zeros; strndup() is given their length, and stops in time.
        if (file ~ /^programs\/frazild\// && text ~ /(^|[^A-Za-z0-9_])str[a-z]+[ ]*\([^;)]*[]A-Za-z0-9_)]([.]|->)at([^A-Za-z0-9_]|$)/ && text !~ /strndup/) {
            printf "%s:%s: str*() is banned of .at, which may be NULL and hold zeros: use slice.h\n", file, line
            bad = 1
        }
        for (i = 1; i < n; i++) {
            if (call[i] == "getenv" && file == "src/os/host.c")
                continue # where it is wrapped
            # Not a member (clock.sleep), not a longer name (clock_nanosleep).
            if (index(text, call[i]) && index(file, folder[i]) == 1 && !may(file, allowed[i]) && text ~ ("(^|[^A-Za-z0-9_.>])" call[i] "[ ]*\\(")) {
                printf "%s:%s: %s() is banned: use %s\n", file, line, call[i], instead[i]
                bad = 1
            }
        }
    }
    END {
        for (file in waits) {
            if (!(file in monotonic)) {
                printf "%s:%s: pthread_cond_timedwait() is banned without a condition of CLOCK_MONOTONIC (fz_monotonic_condition_init)\n", file, waits[file]
                bad = 1
            }
        }
        if (lines == 0) { print "no source found"; bad = 1 }
        exit bad
    }' || failed=1

# Calls that only Linux has, or one libc: src/os/linux is for them, and src/os/posix has what stands in its place.  Comments may
# speak of it, strings may not.  src/opaque asks Linux what the processor can do, and does without elsewhere.
calls='memfd_create|eventfd|epoll_[a-z0-9]+|signalfd|timerfd_[a-z]+|inotify_[a-z0-9_]+|syscall|gettid|getrandom|getentropy|arc4random'
calls="$calls|adjtimex|ntp_adjtime|prctl|getauxval|pipe2|dup3|accept4|ppoll|f?statfs|madvise|mremap|clone|unshare|setns|fallocate"
calls="$calls|renameat2|[a-z_]+_np|qsort_r|strchrnul|v?asprintf|secure_getenv"
names='_GNU_SOURCE|__linux__|__GLIBC__|MADV_[A-Z_]+|SOCK_CLOEXEC|SOCK_NONBLOCK|O_TMPFILE|O_PATH|F_OFD_[A-Z]+|MFD_[A-Z_]+'
names="$names|CLOCK_(BOOTTIME|TAI|[A-Z]+_(COARSE|RAW))|MAP_(POPULATE|LOCKED|NORESERVE|HUGETLB|STACK|GROWSDOWN)"
headers='linux/|asm/|sys/(auxv|epoll|eventfd|inotify|prctl|random|signalfd|statfs|syscall|sysinfo|timerfd|timex|vfs|xattr)[.]h'
places='/proc/|/sys/|/dev/shm|/run/'
# shellcheck disable=SC2016 # awk has dollars too
find src -name '*.[ch]' ! -path 'src/os/linux/*' ! -path 'src/opaque/aes_*.c' | sort | xargs -r awk \
    -v calls="(^|[^A-Za-z0-9_.>])($calls)[ ]*\\\\(" -v names="(^|[^A-Za-z0-9_])($names)([^A-Za-z0-9_]|\$)" \
    -v headers="^[ ]*#[ ]*include <($headers)" -v places="\"($places)" '
    FNR == 1 { in_comment = 0 }
    {
        text = $0
        if (in_comment && !sub(/^.*\*\//, "", text)) next
        in_comment = 0
        gsub(/\/\*([^*]|\*[^\/])*\*\//, "", text)
        in_comment = sub(/\/\*.*/, "", text)
        if (text ~ calls || text ~ names || text ~ headers || text ~ places) {
            printf "%s:%d: only Linux, or one libc, has this: put it into src/os/linux, with its counterpart in src/os/posix\n", FILENAME, FNR
            bad = 1
        }
    }
    END { exit bad }' || failed=1
exit $failed
