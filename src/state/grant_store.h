/* SPDX-License-Identifier: MIT */
/* Grant files on a real disk: lease/grant_file.h over os/state_file.h. */
#ifndef FZ_STATE_GRANT_STORE_H
#define FZ_STATE_GRANT_STORE_H

#include "lease/grant_file.h"
#include "os/claim.h"

/*
 * How many ticks ahead of the clock are reserved in the grant file: six seconds.  A start after a loss of power
 * waits that long at most; two writes are a third of that apart.
 */
FZ_PRIVATE uint64_t fz_grant_store_reserve(const frazil_layout *layout);

/*
 * The granter of a grant file: that of owner->bounds, of the worker with this absolute
 * path (os/shards.h).  Nothing is opened before its first call; owner->pid is filled in.  Errors of its calls: see
 * fz_grant_file_granter.  FRAZIL_ESPEC: the path is too long.  FRAZIL_ENOMEM.
 */
FZ_PRIVATE frazil_err fz_grant_store_open(struct fz_granter *ret, const char *path, const struct fz_grant_owner *owner,
                                          uint64_t reserve_ticks, frazil_error *reterr);

/* A grant file that is read when it is first asked what it knows. */
struct fz_grant_memory {
    struct fz_claim_grants grants; /* ctx is this struct */
    const char *path;              /* of the worker; it must live as long */
    struct fz_bounds bounds;
    struct fz_deadline deadline;
    struct fz_grant_record record;
    bool is_read;
};

/* Asks the file of a path and bounds, until the deadline.  One that is not there, or cannot be read, knows nothing. */
FZ_PRIVATE void fz_grant_store_remember(struct fz_grant_memory *ret, const char *path, const struct fz_bounds *bounds,
                                        struct fz_deadline deadline);

/*
 * Tells a granter of fz_grant_store_open, before its first call, of the worker's claim, which must live as long: the
 * grants lie above what other users have used, and the claim says how far this user's go.  Each extension puts a claim
 * that was removed back.  If another process has the number by then, the grant loses its ticks, and later extensions
 * fail as FRAZIL_ELEASE until that one has ended.
 */
FZ_PRIVATE void fz_grant_store_claim(struct fz_granter *granter, struct fz_claim *claim);

/* fz_grant_file_inspect for a path and bounds. */
FZ_PRIVATE frazil_err fz_grant_store_inspect(const char *path, const struct fz_bounds *bounds, bool *ret_exists,
                                             struct fz_grant_record *ret, frazil_error *reterr);

/* Whether a process has the file open.  FRAZIL_ESPEC, FRAZIL_ESYS. */
FZ_PRIVATE frazil_err fz_grant_store_in_use(const char *path, const struct fz_bounds *bounds, bool *ret,
                                            frazil_error *reterr);

/* fz_grant_file_init for a path; owner's nonce and place do not matter. */
FZ_PRIVATE frazil_err fz_grant_store_init(const char *path, const struct fz_grant_owner *owner, uint64_t reserve_ticks,
                                          uint64_t now_tick, frazil_error *reterr);

#endif
