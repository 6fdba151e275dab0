/* SPDX-License-Identifier: MIT */
/*
 * The log: lines on standard error.  Lines that clients can cause are limited, so that no client fills a disk: the
 * first lines of a kind each minute are written, then their number.
 */
#ifndef FRAZILD_LOG_H
#define FRAZILD_LOG_H

#include <stdatomic.h>
#include <stdint.h>

/* Kinds of lines that clients can cause. */
enum log_kind {
    LOG_ALWAYS, /* actions of the operator or of the daemon itself */
    LOG_CLIENT, /* connections that were refused or cut */
    LOG_AUTH,   /* wrong secrets */
    LOG_GRANT,  /* generators without a grant */
    LOG_KINDS
};

/*
 * Writes a line; control characters in it become '?'.  The line is dropped, and a later one says so, where nobody reads
 * standard error or its disk is full: within a second for LOG_ALWAYS, at once for the others.  Any thread.
 */
void log_line(enum log_kind kind, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Writes text as it is, to standard error, or drops it where nobody reads that within a second.  Any thread. */
void log_text(const char *text);

#endif
