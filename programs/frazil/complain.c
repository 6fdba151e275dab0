/* SPDX-License-Identifier: MIT */
#include "complain.h"

#include "command.h"
#include "output.h"
#include "visible.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_SIZE 4096

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
        break;
    }
    return STATUS_FATAL;
}

int complain_error(const frazil_error *err)
{
    complain("%s", err->message);
    return complain_status(err->code);
}
