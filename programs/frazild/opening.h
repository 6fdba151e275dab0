/* SPDX-License-Identifier: MIT */
/*
 * Opening generators, one after the other: each may have to wait for its coordinator.  While it does, another thread
 * can take over what is open, to end the daemon without the one that waits.
 */
#ifndef FRAZILD_OPENING_H
#define FRAZILD_OPENING_H

#include "generators.h"

/* All zeros: it has not begun. */
struct opening {
    atomic_int phase;       /* an enum opening_phase */
    struct generators *set; /* those that are open in full; NULL: none yet */
    struct engine *engines; /* that are open of the next one */
    const char *goes;       /* what to say of a worker id that is in use, since a generator that goes may have it */
};

/*
 * Opens the generators of the settings; the engines of `before` (may be NULL) that mean the same are shared.  Each
 * failure is added to errors, and the set is then to be closed.
 */
void opening_generators(struct opening *opening, struct generators *set, const struct settings *settings,
                        const struct generators *before, struct bytes *errors);

/* It is over, and what it has opened is somebody else's. */
void opening_end(struct opening *opening);

/*
 * Before this thread touches again what it has opened.  This does not return if another thread has taken that; gen,
 * which has come meanwhile (NULL: none has), is closed.
 */
void opening_go_on(struct opening *opening, frazil *gen);

/*
 * For another thread, which will end the process: takes over what is open, and closes it within wait_ns.  False: it is
 * just in use.
 */
bool opening_give_up(struct opening *opening, uint64_t wait_ns);

#endif
