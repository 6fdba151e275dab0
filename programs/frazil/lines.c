/* SPDX-License-Identifier: MIT */
#include "lines.h"

#include "output.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)1 << 20)

bool lines_open(struct lines *lines, int fd)
{
    *lines = (struct lines){.fd = fd, .buffer = malloc(BUFFER_SIZE)};
    return lines->buffer != NULL;
}

void lines_close(struct lines *lines)
{
    free(lines->buffer);
    lines->buffer = NULL;
}

/* Moves the rest to the front and reads more behind it.  False: reading failed. */
static bool fill(struct lines *lines)
{
    ssize_t n;

    memmove(lines->buffer, lines->buffer + lines->start, lines->end - lines->start);
    lines->end -= lines->start;
    lines->start = 0;
    assert(lines->end < BUFFER_SIZE);
    output_flush();
    do
        n = read(lines->fd, lines->buffer + lines->end, BUFFER_SIZE - lines->end);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return false;
    lines->at_end = n == 0;
    lines->end += (size_t)n;
    return true;
}

/* The line end at or after *from, filling as needed; NULL at the end of input, on failure, or past LINES_MAX. */
static char *find_end(struct lines *lines, bool *ret_failed)
{
    size_t seen = 0;

    *ret_failed = false;
    for (;;) {
        size_t pending = lines->end - lines->start;
        char *end = memchr(lines->buffer + lines->start + seen, '\n', pending - seen);
        if (end != NULL || pending > LINES_MAX || lines->at_end)
            return end;
        seen = pending;
        if (!fill(lines)) {
            *ret_failed = true;
            return NULL;
        }
    }
}

/* Drops everything up to and with the next line end. */
static enum lines_result skip_long(struct lines *lines)
{
    for (;;) {
        char *end = memchr(lines->buffer + lines->start, '\n', lines->end - lines->start);
        if (end != NULL) {
            lines->start = (size_t)(end - lines->buffer) + 1;
            return LINES_LONG;
        }
        lines->start = lines->end;
        if (lines->at_end)
            return LINES_LONG;
        if (!fill(lines))
            return LINES_FAILED;
    }
}

/* Files of Windows: the first line may begin with a byte order mark, and each end with a carriage return. */
static void trim_windows(uint64_t number, char **text, size_t *len)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t mark_len = sizeof mark - 1;

    if (number == 1 && *len >= mark_len && memcmp(*text, mark, mark_len) == 0) {
        *text += mark_len;
        *len -= mark_len;
    }
    if (*len > 0 && (*text)[*len - 1] == '\r')
        --*len;
}

enum lines_result lines_next(struct lines *lines, const char **ret_text, size_t *ret_len)
{
    bool failed;
    char *end = find_end(lines, &failed);

    if (failed)
        return LINES_FAILED;
    if (end == NULL && lines->start == lines->end)
        return LINES_END;
    lines->number++;
    char *text = lines->buffer + lines->start;
    size_t len = end != NULL ? (size_t)(end - text) : lines->end - lines->start;
    if (len > LINES_MAX)
        return skip_long(lines);
    lines->start += len + (end != NULL ? 1 : 0);
    trim_windows(lines->number, &text, &len);
    if (len == 0)
        return LINES_EMPTY;
    *ret_text = text;
    *ret_len = len;
    return LINES_TEXT;
}

const char *lines_fault(enum lines_result result)
{
    switch (result) {
    case LINES_EMPTY:
        return "the line is empty; each line must hold one value";
    case LINES_LONG:
        return "the line is longer than 4096 bytes; each line must hold one value";
    case LINES_FAILED:
        return strerror(errno);
    case LINES_TEXT:
    case LINES_END:
        break;
    }
    return "";
}
