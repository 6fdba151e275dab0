/* SPDX-License-Identifier: MIT */
#include "log.h"

#include "clock.h"

#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINES_A_MINUTE 20
#define WAIT_MS 1000 /* for the reader of a full pipe */

/* Guards `kinds`.  It is not `writing`, which a thread holds during a system call. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct log_limit kinds[LOG_KINDS];

/* Makes each line, and what it says of lost ones, one piece of the log.  Guards `lost` but for its count. */
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

/* Lines that are not in the log.  The next line that can be written says how many, and why the last of them is not. */
static struct {
    atomic_uint lines;
    const char *why;
    bool is_torn; /* the log ends with a part of a line, which the next one must end */
} lost;

static uint64_t minute_now(void)
{
    return clock_ns() / (60 * NS_PER_S);
}

/* Whether this minute has room for one more line.  What was left out is counted until that is said. */
static bool may_write(struct log_limit *limit)
{
    uint64_t minute = minute_now();

    if (limit->minute != minute)
        limit->lines = 0;
    limit->minute = minute;
    if (limit->lines < LINES_A_MINUTE) {
        limit->lines++;
        return true;
    }
    if (limit->left_out++ == 0)
        limit->since = minute;
    return false;
}

/* How many were left out, which are forgotten; 0: none, or the minute goes on. */
static unsigned take_left_out(struct log_limit *limit, bool all)
{
    unsigned left_out = limit->left_out;

    if (left_out == 0 || (!all && limit->since == minute_now()))
        return 0;
    limit->left_out = 0;
    return left_out;
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
    lost.why = "writing failed (df shows whether the disk is full)";
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
        len += (size_t)snprintf(line + len, sizeof line - len, "frazild: %u line%s lost because %s\n", before,
                                before == 1 ? " was" : "s were", lost.why);
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

static void write_line(bool may_wait, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));

static void write_line(bool may_wait, const char *fmt, va_list args)
{
    char text[1400], line[1500];

    (void)vsnprintf(text, sizeof text, fmt, args);
    for (char *at = text; *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?';
    }
    (void)snprintf(line, sizeof line, "frazild: %s\n", text);
    put(line, may_wait);
}

void log_line(enum log_kind kind, const char *fmt, ...)
{
    va_list args;

    (void)pthread_mutex_lock(&lock);
    bool may = kind == LOG_ALWAYS || may_write(&kinds[kind]);
    (void)pthread_mutex_unlock(&lock);
    if (!may)
        return;
    va_start(args, fmt);
    write_line(kind == LOG_ALWAYS, fmt, args);
    va_end(args);
}

void log_event(struct log_limit *limit, const char *fmt, ...)
{
    va_list args;

    if (!may_write(limit))
        return;
    va_start(args, fmt);
    write_line(false, fmt, args);
    va_end(args);
}

void log_left_out(bool all)
{
    static const char *const abouts[LOG_KINDS] = {[LOG_REFUSED] = "about connections that were refused",
                                                  [LOG_TLS] = "about TLS handshakes that failed",
                                                  [LOG_BROKEN] = "about clients that broke their protocol",
                                                  [LOG_SLOW] = "about clients that sent no request in time",
                                                  [LOG_CUT] = "about clients that were cut",
                                                  [LOG_AUTH] = "about wrong tokens",
                                                  [LOG_LEASES] = "about leases that clients asked for",
                                                  [LOG_CLOCK] = "about the clock"};

    for (int kind = LOG_ALWAYS + 1; kind < LOG_KINDS; kind++) {
        (void)pthread_mutex_lock(&lock);
        unsigned left_out = take_left_out(&kinds[kind], all);
        (void)pthread_mutex_unlock(&lock);
        if (left_out > 0)
            log_line(LOG_ALWAYS, "%u line%s %s %s left out", left_out, left_out == 1 ? "" : "s", abouts[kind],
                     left_out == 1 ? "was" : "were");
    }
}

void log_left_out_about(struct log_limit *limit, const char *about, const char *name, bool all)
{
    unsigned left_out = take_left_out(limit, all);

    if (left_out > 0)
        log_line(LOG_ALWAYS, "%u line%s about %s %s %s left out", left_out, left_out == 1 ? "" : "s", about, name,
                 left_out == 1 ? "was" : "were");
}
