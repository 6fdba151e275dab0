/* SPDX-License-Identifier: MIT */
/*
 * The ring on which the grant in force stands, in memory that all processes of
 * a generator share.
 *
 * Any process may write to it, and may be killed or stopped anywhere in between,
 * and go on much later.  So a writer claims the ring first, which shuts out all
 * that looked at it before.  It then writes to the entry after the one in force, and
 * last makes that the one in force, unless another writer has claimed meanwhile.
 * Each part of an entry bears the number of the claim under which it was written,
 * and gives way to later claims only.  So a writer that comes back from a long pause
 * cannot write into an entry that others have used since.
 */
#ifndef FZ_STATE_GRANT_RING_H
#define FZ_STATE_GRANT_RING_H

#include <stdatomic.h>
#include <stdbool.h>

#include "lease/granter.h"

#ifndef FZ_GRANT_ENTRIES /* the memory model, which has little time, has fewer */
#define FZ_GRANT_ENTRIES 8
#endif

/*
 * Of an entry: worker, floor, until, version and the namespace, 32 bits in each; the upper 32 are the claim's.  The
 * memory model leaves the namespace out: it is written and read as the parts before it are.
 */
#ifndef FZ_GRANT_PARTS
#define FZ_GRANT_PARTS 13
#endif

struct fz_grant_ring {
    _Atomic uint64_t number; /* claims * FZ_GRANT_ENTRIES + which entry is in force */
    struct {
        _Atomic uint64_t parts[FZ_GRANT_PARTS];
    } entries[FZ_GRANT_ENTRIES];
};

/* Reads the grant in force.  Any thread, any process. */
FZ_PRIVATE struct fz_grant fz_grant_ring_read(const struct fz_grant_ring *ring);

/* The same; *ret_number is what to put another grant in its place with. */
FZ_PRIVATE struct fz_grant fz_grant_ring_look(const struct fz_grant_ring *ring, uint64_t *ret_number);

/*
 * Puts a grant in force in place of the one that was read with that number.  False,
 * and the grant is not in force: others have written to the ring since.  Any
 * thread, any process, several at once.
 */
FZ_PRIVATE bool fz_grant_ring_put(struct fz_grant_ring *ring, uint64_t number, const struct fz_grant *grant);

#endif
