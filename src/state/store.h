/* SPDX-License-Identifier: MIT */
/*
 * The store of a generator's shared page, and with it the other users.  It is anonymous
 * memory that only children share, or a file in the run directory, which every
 * process of the host with the same worker, or the same lease, maps.
 */
#ifndef FZ_STATE_STORE_H
#define FZ_STATE_STORE_H

#include "config/decision.h"
#include "frazil/clock.h"
#include "lease/grant_file.h"
#include "lease/record.h"
#include "os/claim.h"
#include "os/process_family.h"
#include "os/word_file.h"
#include "os/worker_lock.h"

struct fz_shared;

enum fz_store_kind {
    FZ_STORE_NONE, /* not opened */
    FZ_STORE_MEMORY,
    FZ_STORE_FILE, /* of a worker, whose grants are in another file */
    FZ_STORE_LEASE /* of a coordinator's lease, which all processes that map the file hold together */
};

/* The owner of the word in a lease's file, for a decision of FZ_STATE_SHARED, which must live as long.  Cannot fail. */
FZ_PRIVATE struct fz_word_identity fz_store_lease_word(const struct fz_decision *decision);

/*
 * The key of a claim (os/claim.h) for a decision that has one, as the clock shows now_ms; whose it is, is left to the
 * caller.  It points into the decision and the folder, which must live as long.  Errors as fz_claim_folder.
 */
FZ_PRIVATE frazil_err fz_store_claim_key(struct fz_claim_key *ret, char folder[FZ_PATH_SIZE],
                                         const struct fz_decision *decision, int64_t now_ms, frazil_error *reterr);

struct fz_store {
    enum fz_store_kind kind;
    struct fz_deadline deadline;   /* of the opening or the closing that is at work */
    char grant_path[FZ_PATH_SIZE]; /* FZ_STORE_FILE: where the grants of the worker are kept */
    struct fz_grant_owner owner;   /* and the owner that asks for it */
    struct fz_word_file word;      /* FZ_STORE_FILE and FZ_STORE_LEASE */
    struct fz_token token;         /* FZ_STORE_LEASE: as which all of them are one owner to the coordinator */
    struct fz_worker_lock lock;    /* worker=file-lock: held as long as the process lives */
    bool locked;
    struct fz_claim claim;  /* FZ_STORE_FILE, and FZ_STORE_MEMORY of a number of its own: keeps others from it */
    uint64_t claimed_until; /* FZ_STORE_FILE: the last tick that the claim said was used when the store was opened */
    struct fz_process_family
        processes; /* FZ_STORE_MEMORY of a leased worker: tells the last one to give the lease back */
    bool is_counted;
};

/*
 * Opens the store, takes a worker lock if that was chosen, and makes the page
 * ready for use if it is new.  *ret_worker is the worker id.  FRAZIL_ESPEC, ESYS,
 * ESTATE, EPOOL, ENOMEM.
 */
FZ_PRIVATE frazil_err fz_store_open(struct fz_store *ret, const struct fz_decision *decision, const frazil_clock *clock,
                                    struct fz_deadline deadline, struct fz_shared **ret_shared, uint32_t *ret_worker,
                                    frazil_error *reterr);

/* The granter of a page that lies in a file.  It must be closed before *store is, which must not move.  Errors as
 * fz_grant_store_open. */
FZ_PRIVATE frazil_err fz_store_granter(struct fz_store *store, uint64_t reserve_ticks, struct fz_granter *ret,
                                       frazil_error *reterr);

/* The file whose guard tells which process may extend the grant.  False: the page is in no file. */
FZ_PRIVATE bool fz_store_extension_lock_file(const struct fz_store *store, char ret[FZ_PATH_SIZE]);

/* Whether the page was made by this open. */
FZ_PRIVATE bool fz_store_is_new(const struct fz_store *store);

/*
 * Leaves the page.  True: nobody else has it and *shared can still be read, until
 * fz_store_close.  False: another process may go on with it; *shared is NULL.
 */
FZ_PRIVATE bool fz_store_leave(struct fz_store *store, struct fz_deadline deadline, struct fz_shared **shared);

/*
 * After fz_store_leave was true: takes a file away that this open made.  For an
 * open that failed: what it left would be in the way of the worker's owner.
 */
FZ_PRIVATE void fz_store_undo(struct fz_store *store);

/* Gives up what is held; after fz_store_leave, or at once. */
FZ_PRIVATE void fz_store_close(struct fz_store *store, struct fz_shared *shared);

#endif
