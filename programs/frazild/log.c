/* SPDX-License-Identifier: MIT */
#include "log.h"

#include "clock.h"

#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINES_A_MINUTE 20
#define WAIT_MS 1000 /* for the reader of a full pipe */

/* Guards `kinds`.  It is not `writing`, which a thread holds during a system call. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The lines of each kind in one minute: the last in which a client caused one. */
static struct {
    uint64_t minute;
    unsigned lines;
    unsigned dropped;
} kinds[LOG_KINDS];

/* Makes each line, and what it says of lost ones, one piece of the log.  Guards `lost` but for its count. */
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

/* Lines that are not in the log.  The next line that can be written says how many, and why the last of them is not. */
static struct {
    atomic_uint lines;
    const char *why;
    bool is_torn; /* the log ends with a part of a line, which the next one must end */
} lost;

/*
 * Whether this minute has room for one more line of the kind.  *ret_dropped: how many lines of an earlier minute were
 * left out, which this line is to say; 0 unless it is the first of its minute.
 */
static bool may_write(enum log_kind kind, unsigned *ret_dropped)
{
    bool may;

    *ret_dropped = 0;
    if (kind == LOG_ALWAYS)
        return true;
    (void)pthread_mutex_lock(&lock);
    uint64_t minute = clock_ns() / (60 * NS_PER_S);
    if (kinds[kind].minute != minute) {
        *ret_dropped = kinds[kind].dropped;
        kinds[kind].minute = minute;
        kinds[kind].lines = kinds[kind].dropped = 0;
    }
    may = kinds[kind].lines < LINES_A_MINUTE;
    if (may)
        kinds[kind].lines++;
    else
        kinds[kind].dropped++;
    (void)pthread_mutex_unlock(&lock);
    return may;
}

/*
 * Whether standard error takes a line within that time.  A pipe is ready for poll when it has room for PIPE_BUF bytes,
 * 4,096, and no line is so long: then write does not block.
 */
static bool has_room(int wait_ms)
{
    struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};

    return poll(&ready, 1, wait_ms) > 0;
}

/* Writes the text in one call, so that no line of another process comes in between.  False: a full disk took at most
 * a part of it. */
static bool write_all(const char *text, size_t len)
{
    ssize_t written = len > 0 ? write(STDERR_FILENO, text, len) : 0;

    if (written == (ssize_t)len)
        return true;
    lost.is_torn |= written > 0;
    lost.why = "they could not be written (df shows whether the disk is full)";
    return false;
}

/*
 * Writes the text, and before it how many lines were lost.  They count as lost until that is written: a disk may be
 * full again.  False: the text is lost, too.
 */
static bool put_now(const char *text)
{
    char line[160] = "\n";
    unsigned before = atomic_load(&lost.lines);
    size_t len = before > 0 && lost.is_torn ? 1 : 0;

    if (before > 0)
        len += (size_t)snprintf(line + len, sizeof line - len, "frazild: %u lines were lost because %s\n", before,
                                lost.why);
    if (!write_all(line, len))
        return false;
    (void)atomic_fetch_sub(&lost.lines, before);
    lost.is_torn = false;
    return write_all(text, strlen(text));
}

/*
 * Writes text, or counts it as lost: a reader that has stopped must not stop the daemon.  A line that may wait waits
 * WAIT_MS for a reader that is only slow, but not while lines are lost: else each line of a dead log would cost a
 * second.
 */
static void put(const char *text, bool may_wait)
{
    if (may_wait && atomic_load(&lost.lines) == 0)
        (void)has_room(WAIT_MS);
    (void)pthread_mutex_lock(&writing);
    bool has = has_room(0);
    if (!has)
        lost.why = "nobody read the log";
    if (!has || !put_now(text))
        (void)atomic_fetch_add(&lost.lines, 1);
    (void)pthread_mutex_unlock(&writing);
}

void log_text(const char *text)
{
    put(text, true);
}

void log_line(enum log_kind kind, const char *fmt, ...)
{
    char text[1400], line[1500];
    unsigned dropped;
    va_list args;

    if (!may_write(kind, &dropped))
        return;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    for (char *at = text; *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?';
    }
    if (dropped > 0)
        (void)snprintf(line, sizeof line, "frazild: %s (and %u lines like this, which were left out)\n", text, dropped);
    else
        (void)snprintf(line, sizeof line, "frazild: %s\n", text);
    put(line, kind == LOG_ALWAYS);
}
