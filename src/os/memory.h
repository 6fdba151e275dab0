/* SPDX-License-Identifier: MIT */
/* Pages that outlive a fork in the way their user needs. */
#ifndef FZ_OS_MEMORY_H
#define FZ_OS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed pages that parent and children go on sharing.  NULL: errno says why. */
FZ_PRIVATE void *fz_map_shared(size_t size);

/* Has a child find these pages zeroed.  False: the system does not do that, or it is the portable build. */
FZ_PRIVATE bool fz_wipe_on_fork(void *pages, size_t size);

/*
 * Zeroed pages that a child finds zeroed again.  *ret_wiped says whether the
 * kernel really does that; if not (before Linux 4.14, or an emulator that accepts
 * every advice), the pages are inherited as they are and the user must do
 * without.  NULL: errno says why.
 */
FZ_PRIVATE void *fz_map_wiped(size_t size, bool *ret_wiped);

/* Gives such pages back; NULL is allowed. */
FZ_PRIVATE void fz_unmap(void *pages, size_t size);

/*
 * Keeps the library or plug-in that contains `here` in memory, even if it is unloaded.  Does nothing in the portable
 * build, or if the system does not tell which one it is.  It asks the loader (os/clients.h).  Any thread.
 */
FZ_PRIVATE void fz_keep_loaded(const void *here);

/*
 * Whether the program is statically linked: it has no dynamic linker, so a library that it loads brings a second libc,
 * which does not work beside the program's own.  false if that is not known, as in the portable build.  Any thread.
 */
FZ_PRIVATE bool fz_program_is_static(void);

#endif
