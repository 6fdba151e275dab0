/* SPDX-License-Identifier: MIT */
/*
 * Lines from a file descriptor, fast and strict.  Standard output is flushed before
 * each read, so that a program that waits for the answer to its line gets it.
 */
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the longest line that is read, line end not counted. */
#define LINES_MAX 4096

struct lines {
    int fd;
    char *buffer;
    size_t start;    /* of the next line in the buffer */
    size_t end;      /* of what was read */
    uint64_t number; /* of the last line returned, from 1 */
    bool at_end;     /* nothing more can be read */
};

enum lines_result {
    LINES_TEXT,  /* a line; the last one may lack its line end */
    LINES_EMPTY, /* an empty line */
    LINES_LONG,  /* a line of more than LINES_MAX bytes, skipped */
    LINES_END,   /* no more lines */
    LINES_FAILED /* reading failed: errno */
};

/* Starts reading fd, which stays the caller's.  False: out of memory. */
bool lines_open(struct lines *lines, int fd);

/* Frees the buffer. */
void lines_close(struct lines *lines);

/* The next line, without a byte order mark or a carriage return of Windows.  *ret_text is good until the next call;
 * both are set for LINES_TEXT only. */
enum lines_result lines_next(struct lines *lines, const char **ret_text, size_t *ret_len);

/* The complaint about a line of that result: a sentence with the cure. */
const char *lines_fault(enum lines_result result);

#endif
