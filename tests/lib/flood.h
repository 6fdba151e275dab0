/* SPDX-License-Identifier: MIT */
/*
 * A server that speaks just enough of a protocol to be asked something, and then
 * says nothing, says it a byte at a time, or never stops: what a broken or hostile
 * coordinator may do.  It is a process of its own, so that its memory is not the test's.
 */
#ifndef TESTS_LIB_FLOOD_H
#define TESTS_LIB_FLOOD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum flood_pace {
    FLOOD_SILENT, /* no answer; a greeting only with FLOOD_FIRST */
    FLOOD_TRICKLE,
    FLOOD_FAST,
    FLOOD_FIRST = 4 /* with one of the above: it speaks before anything is heard */
};

struct flood {
    unsigned pace;        /* enum flood_pace */
    const char *greeting; /* to what is heard first; NULL: there is none */
    size_t greeting_len;
    const char *head; /* of the answer to what is heard next, or at once with FLOOD_FIRST and no greeting */
    size_t head_len;
    const char *piece; /* follows it, again and again */
    size_t piece_len;
};

/* Starts one on a port of the loopback; *flood must live until it is stopped. */
pid_t flood_start(const struct flood *flood, uint16_t *ret_port);

/* The same, but the piece is sent once: in answer to a request behind the head that has these words. */
pid_t flood_start_cued(const struct flood *flood, const char *cue, uint16_t *ret_port);

void flood_stop(pid_t pid);

#endif
