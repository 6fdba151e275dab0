/* SPDX-License-Identifier: MIT */
/*
 * Grants from a file of this host: what keeps ids unique over a restart, where no
 * coordinator does.
 *
 * The file holds two slots, a page apart, which take turns; see grant_record.h.
 * A slot is overwritten only when the other one is known to be durable, so that
 * at any moment a loss of power leaves the last grant that anybody was told of.
 *
 * All processes that share a word own its grant together: the record bears the
 * word's nonce, and any of them may extend it.  A word that finds another's
 * nonce starts above what that one was granted.  So after kill -9 the word that
 * is still in the run directory goes on at once, and after a boot a new one waits
 * for what the old one had reserved.
 *
 * Words of one worker with other sequence bounds have files of their own.  Ticks
 * that were granted to words whose bounds overlap count as used: each new grant keeps
 * clear of them.  So no tick is ever granted to two words that could make the same id,
 * whether anybody still has them or not.
 *
 * A grant reaches to now + reserve, never further from where it begins.  One that
 * begins later, because others were granted the time until then, has one tick at first.
 * So processes that crash and start over and over, or take turns, cannot push each
 * other into the future.  A
 * clock that jumps ahead grants itself an island there (used_ticks.h), and goes on
 * where it was when it has come back.
 */
#ifndef FZ_LEASE_GRANT_FILE_H
#define FZ_LEASE_GRANT_FILE_H

#include "file_port.h"
#include "grant_record.h"
#include "granter.h"

#define FZ_GRANT_SLOT_DISTANCE 4096 /* a disk may tear a whole block of that size */
#define FZ_GRANT_FILE_SIZE (2 * FZ_GRANT_SLOT_DISTANCE)

/* The word that asks. */
struct fz_grant_owner {
    char fingerprint[FRAZIL_FINGERPRINT_SIZE]; /* filled up with zeros */
    frazil_layout layout;                      /* for sentences, which say when a tick is */
    uint32_t worker;
    struct fz_bounds bounds; /* of the word's sequence numbers */
    uint64_t nonce;          /* the word's; not 0 */
    uint64_t place;          /* of the word's file; 0: it is in none, so another nonce is another generator's */
    uint64_t pid;            /* this process */
};

struct fz_grant_file {
    struct fz_file_port port;
    struct fz_grant_owner owner;
    uint64_t reserve_ticks;       /* how far ahead of the clock a grant reaches; at least 1 */
    uint64_t least;               /* the first tick that may be granted: others have used those below; 0: nobody has */
    uint64_t durable_sequence;    /* the last record that this process knows to be on the disk; 0: none */
    struct fz_used_ticks foreign; /* granted to words with overlapping bounds, as last read */
};

/*
 * The granter of a file.  *file must live until it is closed; it is the granter's
 * ctx, and closing it closes the port.  Does nothing yet.
 *
 * acquire: makes the file if there is none.  The present grant goes on, with its
 *   floor, if it bears this word's nonce.
 *
 * extend: FRAZIL_ELEASE: another word has taken the worker over and is in use;
 *   later, when it is not, the worker is taken back.  FRAZIL_EAGAIN: the disk failed;
 *   or the grant reaches far enough already, because the clock went back or an island
 *   is near.  The new grant is not contiguous when the clock has left the old one
 *   behind by more than the reserve.  The same holds when the file was removed or is a
 *   copy of an older one: then it gives up all ticks that another could have been
 *   granted in the meantime.
 *
 * Both: FRAZIL_ESTATE: the file, or that of a word whose bounds overlap, is
 *   damaged, or of another layout, worker or version.  FRAZIL_EEXHAUSTED: no tick is left.
 * acquire: FRAZIL_ESYS: a system call failed.  FRAZIL_EWORKER: a living process
 *   has the worker, with a word in another run directory or with sequence bounds that
 *   overlap.
 * release: call it when nobody else has the word any more.
 */
FZ_PRIVATE struct fz_granter fz_grant_file_granter(struct fz_grant_file *file);

/* Reads a grant file.  FRAZIL_ESTATE: it is damaged or of another version.  FRAZIL_ESYS.  *ret_exists: there is
 * one; otherwise *ret is untouched. */
FZ_PRIVATE frazil_err fz_grant_file_inspect(const struct fz_file_port *port, struct fz_deadline deadline,
                                            bool *ret_exists, struct fz_grant_record *ret, frazil_error *reterr);

/* Whether a record is of the owner's layout, worker and bounds; name is the file's.  FRAZIL_ESTATE: it is not, with
 * both. */
FZ_PRIVATE frazil_err fz_grant_file_check(const struct fz_grant_owner *owner, const struct fz_grant_record *record,
                                          const char *name, frazil_error *reterr);

/*
 * Makes a grant file anew, whatever was there: the way out of FRAZIL_ESTATE.  All
 * that may have been granted until now is given up: what can still be read of
 * this layout and worker, and everything up to now_tick + reserve_ticks.
 * FRAZIL_EWORKER: a living process has it open.  FRAZIL_ESYS.
 */
FZ_PRIVATE frazil_err fz_grant_file_init(struct fz_grant_file *file, struct fz_deadline deadline, uint64_t now_tick,
                                         frazil_error *reterr);

#endif
