/* SPDX-License-Identifier: MIT */
/*
 * Ending the waits of this process early: the command does so when a signal asks
 * it to stop, so that it can give its worker id back.  In a program nobody does.
 */
#ifndef FZ_OS_WAITS_H
#define FZ_OS_WAITS_H

#include <stdbool.h>

/*
 * From now on no call waits for a tick, a guard, a claim or another try to open; with false they wait again.  In a
 * signal handler, too: the signal ends the sleep of its thread, which then finds that it may not wait on.
 */
FZ_PRIVATE void fz_waits_end(bool end);

/* Whether waits have to end. */
FZ_PRIVATE bool fz_waits_ended(void);

#endif
