/* SPDX-License-Identifier: MIT */
/*
 * A loop: one thread that serves connections of all protocols, by epoll.  All loops are alike and share the
 * listeners.
 */
#ifndef FRAZILD_LOOP_H
#define FRAZILD_LOOP_H

#include "loop_state.h"

/* Prepares a loop and starts its thread.  False: errno says why. */
bool loop_start(struct loop *loop, struct server *server);

/* Waits until the thread has ended, and frees what the loop had. */
void loop_join(struct loop *loop);

#endif
