/* SPDX-License-Identifier: MIT */
/*
 * Reading the configuration anew, in a thread of its own: generators that come or go may have to wait for their
 * coordinators, and the main thread waits for none.
 */
#ifndef FRAZILD_RELOAD_H
#define FRAZILD_RELOAD_H

#include "server.h"

struct reloader;

/* Starts the thread, for the file at that path (NULL: the default one).  NULL without memory or threads. */
struct reloader *reloader_start(const char *path, struct server *server);

/*
 * Has it read the configuration, and once more if it is doing so already.  It keeps the old one if there are mistakes.
 * The manager of services is told.  Waits for nothing.
 */
void reloader_ask(struct reloader *reloader);

/*
 * Ends the thread; a reload that is under way is waited for.  But if it waits for a coordinator after until_ns, the
 * generators that it has opened are closed within wait_ns.  False: that was so, and the process has to end: the thread
 * is still there, and touches nothing any more.  reloader may be NULL.
 */
bool reloader_stop(struct reloader *reloader, uint64_t until_ns, uint64_t wait_ns);

#endif
