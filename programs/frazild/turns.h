/* SPDX-License-Identifier: MIT */
/*
 * The turns of a loop, which sleeps in each until something happens or its timeouts are due.  From their times it knows
 * that its process did not run, and whether it has heard all that its clients have sent meanwhile.
 */
#ifndef FRAZILD_TURNS_H
#define FRAZILD_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#define EVENTS_MAX 256 /* that epoll tells of in one turn */

struct turns {
    uint64_t before_ns; /* when the last turn began */
    uint64_t swept_ns;  /* when the timeouts were looked at last */
    unsigned full;      /* turns in a row that may have left events for the next */
};

/*
 * A turn begins now, and the longest sleep before it was sleep_ns.  Returns how long the process did not run, which
 * counts against no client: it was stopped, or no processor ran it.  0: not for long.
 */
uint64_t turns_begin(struct turns *turns, uint64_t now_ns, uint64_t sleep_ns);

/*
 * Whether the timeouts of the connections are to be looked at, at the end of the turn that began last.  events: how
 * many it had; below 0, an interruption, with which a process begins that goes on after a stop.  Only clients whose
 * bytes were read may be cut, and of more than EVENTS_MAX connections epoll tells in turns.
 */
bool turns_may_sweep(struct turns *turns, uint64_t sleep_ns, int events, unsigned connections);

#endif
