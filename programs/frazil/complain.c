/* SPDX-License-Identifier: MIT */
#include "complain.h"

#include "command.h"
#include "output.h"

#include <stdarg.h>
#include <stdio.h>

void complain(const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);

    output_flush(); /* on a terminal, what came before stays before */
    (void)fputs("frazil: ", stderr);
    for (const char *c = text; *c != '\0'; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte < 0x20 || byte == 0x7f)
            (void)fprintf(stderr, "\\x%02x", byte);
        else
            (void)fputc(byte, stderr);
    }
    (void)fputc('\n', stderr);
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
