/* SPDX-License-Identifier: MIT */
#include "complain.h"

#include "command.h"
#include "output.h"

#include <stdarg.h>
#include <stdio.h>

#define TEXT_SIZE 4096

/* Copies text with its control characters made visible. */
static void make_visible(char *out, const char *text)
{
    static const char digits[] = "0123456789abcdef";

    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x20 || byte == 0x7f) {
            *out++ = '\\';
            *out++ = 'x';
            *out++ = digits[byte >> 4];
            *out++ = digits[byte & 15];
        } else {
            *out++ = *text;
        }
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
