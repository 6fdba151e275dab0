/* SPDX-License-Identifier: MIT */
/*
 * A loop: one thread that serves connections of all protocols, by epoll.  All loops are alike and share the
 * listeners.
 */
#ifndef FRAZILD_LOOP_H
#define FRAZILD_LOOP_H

#include "loop_state.h"

/* Prepares a loop, which then holds the setup.  False: errno says why, and it is to be joined and closed as any other.
 */
bool loop_open(struct loop *loop, struct server *server);

/* Starts its thread, after all loops are open, as they look at one another.  False: errno says why. */
bool loop_start(struct loop *loop);

/* Waits until its thread has ended, if it was started, and releases the setup, whose end may need the descriptors that
 * are closed here. */
void loop_join(struct loop *loop);

/* Frees what the loop had, after it was joined, and when nobody wakes event threads any more. */
void loop_close(struct loop *loop);

#endif
