/* SPDX-License-Identifier: MIT */
/*
 * The log: lines on standard error.  Lines that clients can cause are limited, so that no client fills a disk: of each
 * kind, the first ones of a minute are written, and later the number of the others.  Each kind has a limit of its own.
 */
#ifndef FRAZILD_LOG_H
#define FRAZILD_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds of lines. */
enum log_kind {
    LOG_ALWAYS,  /* actions of the operator or of the daemon itself */
    LOG_REFUSED, /* connections that were refused */
    LOG_TLS,     /* handshakes that failed */
    LOG_BROKEN,  /* clients that sent what is none of their protocol */
    LOG_SLOW,    /* clients that did not send a request in time */
    LOG_CUT,     /* clients that were cut for another reason */
    LOG_AUTH,    /* wrong secrets */
    LOG_LEASES,  /* leases that a client asked for in vain */
    LOG_CLOCK,   /* its steps */
    LOG_KINDS
};

/* The lines of one kind, or about one generator, in a minute: the last in which there was one. */
struct log_limit {
    uint64_t minute;
    unsigned lines;
    unsigned left_out;
    uint64_t since; /* the minute of the first of those */
};

/*
 * Writes a line; control characters in it become '?'.  The line is dropped, and a later one says so, where nobody reads
 * standard error or its disk is full: within a second for LOG_ALWAYS, at once for the others.  Any thread.
 */
void log_line(enum log_kind kind, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for a line with a limit of its own.  One thread. */
void log_event(struct log_limit *limit, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Says how many lines of each kind, or `about` something, were left out in a minute that is over, or, with `all`, so
 * far. */
void log_left_out(bool all);
void log_left_out_about(struct log_limit *limit, const char *about, const char *name, bool all);

/* Writes text as it is, to standard error, or drops it where nobody reads that within a second.  Any thread. */
void log_text(const char *text);

#endif
