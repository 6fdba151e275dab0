/* SPDX-License-Identifier: MIT */
/*
 * Granters: worker ids and time from a source of the program's own, given to frazil_options_granter.
 *
 * A grant is a worker id and a stretch of time, and all ids of a generator lie inside it.  Sequence numbers need no
 * source: each generator counts for itself.  The whole guarantee rests on one rule that the granter keeps:
 *
 *     No two grants of one worker id overlap in time, for any holders, also after any crash.
 *
 * So a granter records the end of each grant durably BEFORE it returns the grant.  A grant to another holder begins
 * where the last recorded one of that worker id ends, or later.  A request that may or may not have been recorded
 * counts as recorded.  Clocks need not agree for this; they decide only how soon an abandoned worker id is given out
 * again.
 */
#ifndef FRAZIL_GRANTER_H
#define FRAZIL_GRANTER_H

#include "error.h"

FRAZIL_BEGIN_DECLS

/*
 * A grant: ids may have this worker id and a time from from_unix_ms up to, but not including, end_unix_ms.  48 bytes.
 */
typedef struct frazil_grant {
    uint32_t worker;      /* as in ids, datacenter included; for sno the partition */
    uint32_t reserved[5]; /* 0 */
    int64_t from_unix_ms; /* rounded up to a whole tick */
    int64_t end_unix_ms;  /* rounded down to a whole tick; not included */
    uint64_t token;       /* the granter's own, not 0: passed back with the grant, in any process that shares it */
} frazil_grant;

/*
 * A source of grants.  Functions return FRAZIL_OK or an error of the table; on an error they leave *ret unchanged.
 * reterr is never NULL, and a granter may write its message.  They may block.
 *
 * Threads: one caller at a time for each generator, but any of its threads.  Two generators may call at once: data that
 * they share through ctx needs a lock.  No function may call back into the generator.
 *
 * Fork: parent and children share one grant; any of them may extend it, and the last one that closes the generator
 * releases it.  A child has the copy of ctx that fork() makes.
 */
typedef struct frazil_granter {
    size_t size; /* sizeof(frazil_granter) */
    void *ctx;   /* passed to the functions; must outlive the generator */

    /*
     * The first grant.  now_unix_ms is the generator's clock, rounded down to a tick; the grant has to end later.
     * FRAZIL_EAGAIN, EUNREACHABLE, EPOOL (all worker ids are taken): try again, after reterr->retry_ns if that is
     * known, or sooner after EPOOL, as a holder may close; opening does so within open_wait.
     */
    frazil_err (*acquire)(void *ctx, int64_t now_unix_ms, frazil_grant *ret, frazil_error *reterr);

    /*
     * Asked when a third of the grant has passed, and then again until it succeeds.  *ret begins as a copy of *held.
     * To continue it, set a later end_unix_ms, and a new token if you like.  To replace it, give another worker id, or
     * the same one with a from_unix_ms not before the end of *held.  After a failure, *held stays valid until its end.
     * FRAZIL_EAGAIN: no answer.  FRAZIL_ELEASE: it is lost, and there is no other.
     */
    frazil_err (*extend)(void *ctx, int64_t now_unix_ms, const frazil_grant *held, frazil_grant *ret,
                         frazil_error *reterr);

    /*
     * The generator is closed: no id of *held was stamped at used_end_unix_ms or later, so another grant may begin
     * there.  It is not called if the last process is killed: then the grant runs out.  NULL: nothing to do.
     */
    void (*release)(void *ctx, const frazil_grant *held, int64_t used_end_unix_ms);

    /* Called in a child process before its first call of the others: drops connections and locks.  NULL: nothing. */
    void (*after_fork)(void *ctx);
} frazil_granter;

FRAZIL_END_DECLS

#endif
