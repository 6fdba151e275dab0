/* SPDX-License-Identifier: MIT */
/* Ends the waits of the generators of this process, for a command that was asked to stop. */
#ifndef FZ_CONSOLE_WAITS_H
#define FZ_CONSOLE_WAITS_H

#include <stdbool.h>

/*
 * From now on no call waits for a tick or for another try to open: it fails as if
 * max_wait had passed.  With false they wait again.  A request to a
 * coordinator keeps its own timeout.  Any thread; in a signal handler, too.
 */
void fz_console_end_waits(bool end);

#endif
