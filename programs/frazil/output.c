/* SPDX-License-Identifier: MIT */
#include "output.h"

#include "stop.h"
#include "visible.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "console/console.h"

#ifndef PIPE_BUF /* POSIX leaves it out where it differs from file to file */
#define PIPE_BUF _POSIX_PIPE_BUF
#endif

static char buffer[1 << 16];
static size_t used;
static int failure; /* errno of the first write that failed */

/*
 * How many bytes to write at once: all.  Once a signal has asked for the end, no
 * more than a pipe takes in one piece, up to a line's end, and nothing for a
 * reader that does not read: the worker id must be given back.
 */
static size_t portion(const char *text, size_t len)
{
    const int patience_ms = 1000;
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    size_t end = len < PIPE_BUF ? len : PIPE_BUF;

    if (!stop_wanted())
        return len;
    if (poll(&out, 1, patience_ms) == 0)
        return 0;
    for (size_t i = end; i > 0; i--) {
        if (text[i - 1] == '\n')
            return i;
    }
    return end;
}

void output_flush(void)
{
    size_t done = 0;

    while (done < used && failure == 0) {
        size_t len = portion(buffer + done, used - done);
        ssize_t n = len > 0 ? write(STDOUT_FILENO, buffer + done, len) : 0;
        if (len == 0)
            failure = ETIMEDOUT;
        else if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            failure = errno;
    }
    used = 0;
}

/* Appends bytes as they are. */
static void append(const char *text, size_t len)
{
    while (len > 0) {
        size_t room = sizeof buffer - used;
        size_t part = len < room ? len : room;
        memcpy(buffer + used, text, part);
        used += part;
        text += part;
        len -= part;
        if (used == sizeof buffer)
            output_flush();
    }
}

/* Appends text with what is not harmless escaped; line ends stay if they are ours. */
static void append_visible(enum visible_style style, const char *text, size_t len, bool keep_lines)
{
    while (len > 0) {
        char escape[VISIBLE_MAX];
        size_t written, plain = visible_plain(style, text, len);
        append(text, plain);
        text += plain;
        len -= plain;
        if (len == 0)
            break;
        size_t bytes = 1;
        if (keep_lines && *text == '\n') {
            append("\n", 1);
        } else {
            bytes = visible_escape(style, text, len, escape, &written);
            append(escape, written);
        }
        text += bytes;
        len -= bytes;
    }
}

void output_string(const char *text)
{
    append_visible(VISIBLE_TEXT, text, strlen(text), true);
}

static void append_part(void *ctx, const char *part, size_t len)
{
    const enum visible_style *style = ctx;

    append_visible(*style, part, len, false);
}

/* Appends text of strangers, without what may be a password. */
static void append_foreign(enum visible_style style, const char *text, size_t len)
{
    fz_typed_show_parts(text, len, append_part, &style);
}

void output_foreign(const char *text)
{
    append_foreign(VISIBLE_TEXT, text, strlen(text));
}

void output_foreign_n(const char *text, size_t len)
{
    append_foreign(VISIBLE_TEXT, text, len);
}

void output_u64(uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    append(digits + at, sizeof digits - at);
}

void output_i64(int64_t value)
{
    if (value < 0)
        append("-", 1);
    output_u64(value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void output_format(const char *fmt, ...)
{
    char line[512];
    va_list args;

    va_start(args, fmt);
    int len = vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (len > 0)
        append_visible(VISIBLE_TEXT, line, (size_t)len < sizeof line ? (size_t)len : sizeof line - 1, true);
}

void output_json_string_n(const char *text, size_t len)
{
    append("\"", 1);
    append_foreign(VISIBLE_JSON, text, len);
    append("\"", 1);
}

void output_json_string(const char *text)
{
    output_json_string_n(text, strlen(text));
}

void output_color(unsigned sgr)
{
    append("\033[", 2);
    output_u64(sgr);
    append("m", 1);
}

bool output_broken(void)
{
    return failure != 0;
}

int output_failure(void)
{
    return failure;
}
