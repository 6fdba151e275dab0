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
#define WAIT_MS 1000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, writing = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint64_t minute;
    unsigned lines;
    unsigned dropped;
} kinds[LOG_KINDS];

/* Whether this line may be written; *ret_dropped: how many could not in the last minute that had some. */
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

/* Whether standard error takes a line within that time: a pipe that tells of room has some for 4,096 bytes. */
static bool has_room(int wait_ms)
{
    struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};

    return poll(&ready, 1, wait_ms) > 0;
}

/*
 * Writes text, or drops it: no thread waits for somebody who does not read.  A line for the operator waits for a
 * moment, but not once more before something was read.
 */
static void put(const char *text, bool may_wait)
{
    static atomic_uint lost;
    char line[80] = "";

    if (may_wait && atomic_load(&lost) == 0)
        (void)has_room(WAIT_MS);
    (void)pthread_mutex_lock(&writing);
    if (has_room(0)) {
        unsigned before = atomic_exchange(&lost, 0);
        if (before > 0)
            (void)snprintf(line, sizeof line, "frazild: %u lines were lost because nobody read the log\n", before);
        ssize_t written = write(STDERR_FILENO, line, strlen(line));
        if (written >= 0)
            written = write(STDERR_FILENO, text, strlen(text));
        (void)written; /* there is nobody to tell */
    } else {
        (void)atomic_fetch_add(&lost, 1);
    }
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
