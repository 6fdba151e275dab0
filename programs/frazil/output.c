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
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

#ifndef PIPE_BUF /* POSIX leaves it out where it differs from file to file */
#define PIPE_BUF _POSIX_PIPE_BUF
#endif

static char buffer[1 << 16];
static size_t used;
static int failure; /* errno of the first write that failed */

static bool is_pipe(void)
{
    static enum { UNKNOWN, NO, YES } answer;
    struct stat out;

    if (answer == UNKNOWN)
        answer = fstat(STDOUT_FILENO, &out) == 0 && S_ISFIFO(out.st_mode) ? YES : NO;
    return answer == YES;
}

/*
 * How many bytes to write at once: all.  Other processes may write to a pipe, so
 * that it gets no more than it takes in one piece, up to a line's end.  Once a
 * signal has asked for the end, any file gets no more than that, and nothing if
 * its reader does not read: the worker id must be given back.
 */
static size_t portion(const char *text, size_t len)
{
    const int patience_ms = 1000;
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    size_t end = len < PIPE_BUF ? len : PIPE_BUF;

    if (stop_wanted() && poll(&out, 1, patience_ms) == 0)
        return 0;
    if (!stop_wanted() && !is_pipe())
        return len;
    for (size_t i = end; i > 0; i--) {
        if (text[i - 1] == '\n')
            return i;
    }
    return end;
}

/* Writes out that much of the buffer, and moves the rest to its begin. */
static void write_out(size_t len)
{
    size_t done = 0;

    while (done < len && failure == 0) {
        size_t part = portion(buffer + done, len - done);
        ssize_t n = part > 0 ? write(STDOUT_FILENO, buffer + done, part) : 0;
        if (part == 0)
            failure = ETIMEDOUT;
        else if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            failure = errno;
    }
    used -= len;
    memmove(buffer, buffer + len, used);
}

/* Whole lines alone, as other processes may write to the same file; all of a line that fills the buffer. */
static void write_lines(void)
{
    size_t len = used;

    while (len > 0 && buffer[len - 1] != '\n')
        len--;
    write_out(len > 0 ? len : used);
}

void output_flush(void)
{
    write_out(used);
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
            write_lines();
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

void output_sentence(const char *text)
{
    enum visible_style style = VISIBLE_TEXT;

    append_part(&style, text, strlen(text));
}

void output_json_sentence(const char *text)
{
    enum visible_style style = VISIBLE_JSON;

    append("\"", 1);
    append_part(&style, text, strlen(text));
    append("\"", 1);
}

char *output_digits(char *to, uint64_t value)
{
    char digits[OUTPUT_DIGITS];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    memcpy(to, digits + at, sizeof digits - at);
    return to + (sizeof digits - at);
}

void output_u64(uint64_t value)
{
    char digits[OUTPUT_DIGITS];

    append(digits, (size_t)(output_digits(digits, value) - digits));
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
