/* SPDX-License-Identifier: MIT */
/*
 * Client libraries, and the loader that loads them: code of others, with locks of its own.  A child that is forked
 * while another thread holds such a lock finds it held for ever, and what it guards half changed.  So threads are
 * counted while they are inside.  A process that was forked while one was inside never goes in, nor do its children: it
 * is told so.
 *
 * A thread that waits for a server is outside meanwhile: no client library holds a lock when it asks to wait.
 *
 * OpenSSL frees its memory when the process ends (exit), and a thread that is in it then crashes.  So no thread enters
 * from then on, and the end waits for those inside.
 */
#ifndef FZ_OS_CLIENTS_H
#define FZ_OS_CLIENTS_H

#include <stdbool.h>

#include "frazil/error.h"

/* The count of a process.  libfrazil and its parts have a copy each of this code, and share one count (FZ_STRUCTURES).
 */
struct fz_clients;

/*
 * The count that this copy goes by: what it went by before, or else the one that is given, or, without one (NULL), a
 * new one.  It is never freed, because a part stays loaded.  NULL: out of memory.  Any thread.
 */
FZ_PRIVATE struct fz_clients *fz_clients_share(struct fz_clients *given);

/*
 * FRAZIL_ESYS: this process may never go in, because of where it was forked, or no more, because it ends.  Any thread.
 */
FZ_PRIVATE frazil_err fz_clients_check(struct fz_clients *clients, frazil_error *reterr);

/*
 * Goes in, and out again, also several times one within the other.  FRAZIL_ESYS as fz_clients_check; FRAZIL_ENOMEM:
 * then the thread is not inside.
 */
FZ_PRIVATE frazil_err fz_clients_enter(frazil_error *reterr);
FZ_PRIVATE void fz_clients_leave(void);

/*
 * Goes out for as long as this thread waits for a server, and back; nothing if it is not inside.  False: the process
 * ends, and the caller asks the client library for nothing more.  It has waited for the end in vain, up to a second.
 */
FZ_PRIVATE void fz_clients_pause(void);
FZ_PRIVATE bool fz_clients_resume(void);

/*
 * Has the end of the process (exit) begin with this: no thread enters any more, and it waits, up to a second, for those
 * inside.  For parts that have made the library below ready, as the function that was registered last is called first.
 */
FZ_PRIVATE void fz_clients_end_at_exit(void);

#endif
