/* SPDX-License-Identifier: MIT */
#include "lib/tsv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/asserts.h"

#define LINE_SIZE 4096
#define COLUMNS_MAX 32

struct tsv {
    FILE *file;
    const char *name;
    size_t line; /* the header is line 1 */
    size_t columns;
    char header[LINE_SIZE]; /* cut into names */
    char cells[LINE_SIZE];  /* cut into cells */
    const char *name_of[COLUMNS_MAX];
    const char *cell_of[COLUMNS_MAX];
    char where[256];
};

/* Reads a line without its end into buf; false at the end of the file. */
static bool read_line(struct tsv *tsv, char buf[LINE_SIZE])
{
    if (fgets(buf, LINE_SIZE, tsv->file) == NULL) {
        if (ferror(tsv->file))
            fail_msg("%s: cannot be read", tsv->where);
        return false;
    }
    tsv->line++;
    snprintf(tsv->where, sizeof tsv->where, "%s:%zu", tsv->name, tsv->line);
    size_t len = strlen(buf);
    if (len == 0 || buf[len - 1] != '\n')
        fail_msg("%s: longer than %d characters, or without an end", tsv->where, LINE_SIZE);
    buf[len - 1] = '\0';
    return true;
}

/* Cuts a line at its tabs and returns how many cells it has. */
static size_t cut(struct tsv *tsv, char *line, const char *ret_cells[COLUMNS_MAX])
{
    size_t cells = 0;

    for (char *cell = line; cell != NULL;) {
        char *tab = strchr(cell, '\t');
        if (cells == COLUMNS_MAX)
            fail_msg("%s: more than %d cells", tsv->where, COLUMNS_MAX);
        ret_cells[cells++] = cell;
        if (tab != NULL)
            *tab++ = '\0';
        cell = tab;
    }
    return cells;
}

struct tsv *tsv_open(const char *name)
{
    char path[4096];
    struct tsv *tsv = calloc(1, sizeof *tsv);

    assert_non_null(tsv);
    tsv->name = name;
    snprintf(path, sizeof path, "%s/%s", TEST_VECTORS_DIR, name);
    tsv->file = fopen(path, "r");
    if (tsv->file == NULL)
        fail_msg("%s: %s", path, strerror(errno));
    if (!read_line(tsv, tsv->header))
        fail_msg("%s: empty", path);
    tsv->columns = cut(tsv, tsv->header, tsv->name_of);
    return tsv;
}

bool tsv_next(struct tsv *tsv)
{
    if (!read_line(tsv, tsv->cells))
        return false;
    size_t cells = cut(tsv, tsv->cells, tsv->cell_of);
    if (cells != tsv->columns)
        fail_msg("%s: %zu cells under %zu names", tsv->where, cells, tsv->columns);
    return true;
}

const char *tsv_text(const struct tsv *tsv, const char *column)
{
    for (size_t i = 0; i < tsv->columns; i++) {
        if (strcmp(tsv->name_of[i], column) == 0)
            return tsv->cell_of[i];
    }
    fail_msg("%s: no column %s", tsv->name, column);
    return NULL;
}

uint64_t tsv_u64(const struct tsv *tsv, const char *column)
{
    const char *cell = tsv_text(tsv, column);
    char *end;

    errno = 0;
    unsigned long long value = strtoull(cell, &end, 10);
    if (*cell < '0' || *cell > '9' || *end != '\0' || errno != 0)
        fail_msg("%s: %s is no number from 0 to 2^64 - 1: '%s'", tsv->where, column, cell);
    return value;
}

int64_t tsv_i64(const struct tsv *tsv, const char *column)
{
    const char *cell = tsv_text(tsv, column);
    const char *digits = *cell == '-' ? cell + 1 : cell;
    char *end;

    errno = 0;
    long long value = strtoll(cell, &end, 10);
    if (*digits < '0' || *digits > '9' || *end != '\0' || errno != 0)
        fail_msg("%s: %s is no number of 64 bits: '%s'", tsv->where, column, cell);
    return value;
}

const char *tsv_where(const struct tsv *tsv)
{
    return tsv->where;
}

size_t tsv_close(struct tsv *tsv)
{
    size_t lines = tsv->line - 1;

    if (lines == 0)
        fail_msg("%s: no line below the header", tsv->name);
    fclose(tsv->file);
    free(tsv);
    return lines;
}
