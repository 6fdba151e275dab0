/* SPDX-License-Identifier: MIT */
#include "complain.h"

#include "command.h"
#include "output.h"
#include "visible.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

#define TEXT_SIZE 4096
#define BUFFERS 6 /* more than a complaint has of what was typed */

/* Copies text with what is not harmless in it made visible. */
static void make_visible(char *out, const char *text)
{
    size_t len = strlen(text);

    while (len > 0) {
        size_t written = 0, plain = visible_plain(VISIBLE_TEXT, text, len);
        memcpy(out, text, plain);
        out += plain;
        text += plain;
        len -= plain;
        if (len == 0)
            break;
        size_t bytes = visible_escape(VISIBLE_TEXT, text, len, out, &written);
        out += written;
        text += bytes;
        len -= bytes;
    }
    *out = '\0';
}

/* The buffer that comes next. */
static char *next_buffer(void)
{
    static char buffers[BUFFERS][TEXT_SIZE];
    static unsigned next;

    return buffers[next++ % BUFFERS];
}

const char *typed(const char *text, size_t len)
{
    char *buffer = next_buffer();

    fz_typed_show(buffer, TEXT_SIZE, text, len);
    return buffer;
}

const char *quoted(const char *text)
{
    char *buffer = next_buffer();

    buffer[0] = '"';
    fz_typed_show(buffer + 1, TEXT_SIZE - 2, text, strlen(text)); /* the last two are for the quote and the end */
    memcpy(buffer + 1 + strlen(buffer + 1), "\"", 2);
    return buffer;
}

const char *meant(const char *text, const char *const *words)
{
    const char *word = fz_typed_nearest(text, words);
    char *buffer = next_buffer();

    buffer[0] = '\0';
    if (word != NULL)
        (void)snprintf(buffer, TEXT_SIZE, " (did you mean %s?)", word);
    return buffer;
}

void complain(const char *fmt, ...)
{
    char text[TEXT_SIZE], visible[4 * TEXT_SIZE];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);

    output_flush(); /* on a terminal, what came before stays before */
    make_visible(visible, text);
    (void)fprintf(stderr, "frazil: %s\n", visible);
}

void complain_progress(const char *fmt, ...)
{
    va_list args;

    (void)fputs("\r\033[K", stderr);
    va_start(args, fmt);
    (void)vfprintf(stderr, fmt, args);
    va_end(args);
}

int complain_status(frazil_err err)
{
    switch (frazil_err_classify(err)) {
    case FRAZIL_CLASS_NONE:
        return STATUS_OK;
    case FRAZIL_CLASS_USAGE:
        return STATUS_USAGE;
    case FRAZIL_CLASS_RETRY:
        return STATUS_TEMPORARY;
    case FRAZIL_CLASS_FENCED:
    case FRAZIL_CLASS_FATAL:
    default:
        return STATUS_FATAL;
    }
}

int complain_error(const frazil_error *err)
{
    complain("%s", err->message);
    return complain_status(err->code);
}
