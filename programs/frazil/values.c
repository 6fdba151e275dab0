/* SPDX-License-Identifier: MIT */
#include "values.h"

#include "command.h"
#include "complain.h"
#include "lines.h"
#include "output.h"
#include "visible.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define SHOWN_MAX 80 /* bytes of a bad value that are repeated in the complaint */

int values_complain(const struct value *value, const char *message)
{
    const char *shown = value->fault != NULL ? "" : typed(value->text, value->len); /* hidden first, cut then */
    int len = (int)visible_cut(shown, strlen(shown), SHOWN_MAX);
    const char *open = value->fault != NULL ? "" : "\"";
    const char *close = value->fault != NULL ? "" : value->len > SHOWN_MAX ? "...\": " : "\": ";

    if (value->line == 0)
        complain("%s%.*s%s%s", open, len, shown, close, message);
    else
        complain("%s:%" PRIu64 ": %s%.*s%s%s", typed(value->file, strlen(value->file)), value->line, open, len, shown,
                 close, message);
    return STATUS_BAD_VALUE;
}

int values_complain_error(const struct value *value, const frazil_error *err)
{
    int status = complain_status(err->code);

    (void)values_complain(value, err->message);
    return status == STATUS_USAGE ? STATUS_BAD_VALUE : status;
}

static int worse(int a, int b)
{
    return a > b ? a : b;
}

static int each_line_of(struct lines *lines, const char *name, values_fn *fn, void *ctx)
{
    struct value value = {.file = name, .text = ""};
    int status = STATUS_OK;

    while (!output_broken()) {
        enum lines_result result = lines_next(lines, &value.text, &value.len);
        value.line = lines->number;
        if (result == LINES_END)
            break;
        if (result == LINES_FAILED) {
            complain("cannot read %s: %s", typed(name, strlen(name)), lines_fault(result));
            return STATUS_FATAL;
        }
        value.fault = result == LINES_TEXT ? NULL : lines_fault(result);
        status = worse(status, fn(ctx, &value));
        if (status == STATUS_FATAL)
            break;
    }
    return status;
}

int values_each_raw(const char *path, values_fn *fn, void *ctx)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct lines lines;
    int status = STATUS_FATAL;

    if (fd < 0) {
        complain("cannot open %s: %s", typed(path, strlen(path)), strerror(errno));
        return STATUS_FATAL;
    }
    if (is_stdin && isatty(fd) == 1 && isatty(STDERR_FILENO) == 1)
        complain("reading from the terminal, one value per line; Ctrl-D ends it");
    if (lines_open(&lines, fd)) {
        status = each_line_of(&lines, is_stdin ? "standard input" : path, fn, ctx);
        lines_close(&lines);
    } else {
        complain("out of memory");
    }
    if (!is_stdin)
        (void)close(fd);
    return status;
}

/* A function that wants good lines only. */
struct strict {
    values_fn *fn;
    void *ctx;
};

static int strict_line(void *ctx, const struct value *value)
{
    const struct strict *strict = ctx;

    return value->fault != NULL ? values_complain(value, value->fault) : strict->fn(strict->ctx, value);
}

int values_each_line(const char *path, values_fn *fn, void *ctx)
{
    struct strict strict = {fn, ctx};

    return values_each_raw(path, strict_line, &strict);
}

int values_each(const struct arguments *args, values_fn *fn, void *ctx)
{
    int status = STATUS_OK;

    if (args->count == 0)
        return values_each_line("-", fn, ctx);
    for (int i = 0; i < args->count && !output_broken(); i++) {
        struct value value = {.text = args->values[i], .len = strlen(args->values[i])};
        status = worse(status, fn(ctx, &value));
    }
    return status;
}
