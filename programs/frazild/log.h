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

/* Writes a line; control characters in it become '?'.  Any thread. */
void log_line(enum log_kind kind, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Writes text as it is, to standard error, or drops it where that would have to wait.  Any thread. */
void log_text(const char *text);

#endif
