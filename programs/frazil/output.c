/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char buffer[1 << 16];
static size_t used;
static int failure; /* errno of the first write that failed */

void output_flush(void)
{
    size_t done = 0;

    while (done < used && failure == 0) {
        ssize_t n = write(STDOUT_FILENO, buffer + done, used - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            failure = errno;
    }
    used = 0;
}

void output_text(const char *text, size_t len)
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

void output_string(const char *text)
{
    output_text(text, strlen(text));
}

void output_u64(uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    output_text(digits + at, sizeof digits - at);
}

void output_format(const char *fmt, ...)
{
    char line[512];
    va_list args;

    va_start(args, fmt);
    int len = vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (len > 0)
        output_text(line, (size_t)len < sizeof line ? (size_t)len : sizeof line - 1);
}

void output_json_string(const char *text)
{
    output_string("\"");
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            output_format("\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            output_format("\\u%04x", (unsigned)*text);
        else
            output_text(text, 1);
    }
    output_string("\"");
}

bool output_broken(void)
{
    return failure != 0;
}

int output_failure(void)
{
    return failure;
}
