/* SPDX-License-Identifier: MIT */
#include "log.h"

#include "clock.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINES_A_MINUTE 20

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
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

void log_text(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text)); /* there is nobody to tell */

    (void)ignored;
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
    log_text(line);
}
