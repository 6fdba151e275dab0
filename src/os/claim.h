/* SPDX-License-Identifier: MIT */
/*
 * Claims on worker numbers, which keep the users of one host apart.  Run directories are each user's own, so the words
 * and lock files of two users never meet.  A claim is a file that all users of the host can read, in a folder in which
 * everybody makes files and nobody removes those of others (/dev/shm, as it has the sticky bit).  Its name says the
 * layout and namespace (two hashes), the worker, the sequence numbers and the user.  A process that has the number
 * holds a shared flock on its user's file; a forked child holds it together with its parent.
 *
 * A process locks its own file first, and only then looks whether other users hold theirs.  So two that begin at once
 * may both see the other, but never neither.  To look is to try an exclusive lock for a moment.  That moment can be in
 * the way of the owner or of a third user, so both try again, for a quarter of a second.  The user with the lower
 * number tries more often, and so gets the worker number.
 *
 * The file also says up to which tick its user may have used the number.  The next user begins above that.  It stays
 * when its user ends, until the next boot.
 *
 * A hostile user can lock a file of any name, or write a tick of the far future, and so refuse numbers to others.  It
 * can remove no file but its own, so it cannot make two others use one number.  Processes of one user are let in: the
 * run directory tells them apart.
 */
#ifndef FZ_OS_CLAIM_H
#define FZ_OS_CLAIM_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/bounds.h"
#include "file.h"
#include "frazil/error.h"
#include "kept_fd.h"

enum { FZ_CLAIM_PATH_SIZE = 192, FZ_CLAIM_FOLDERS = 2, FZ_CLAIM_FOLDER_SIZE = 10 };

/* Where claims may be, the best one first. */
extern const char fz_claim_folders[FZ_CLAIM_FOLDERS][FZ_CLAIM_FOLDER_SIZE];

/* Which ids the number is for. */
struct fz_claim_key {
    const char *folder; /* of fz_claim_folder; NULL: there is none, and nothing is claimed */
    const char *fingerprint;
    const char *name; /* of the namespace */
    struct fz_bounds bounds;
    uint64_t now_tick; /* a number that another user has used beyond this tick can be used later only */
};

struct fz_claim {
    /* On the file's page, which keeps the lock when the program closes all descriptors, as daemons do. */
    _Atomic uint64_t *used; /* the last tick that this user may have used; NULL: nothing is claimed */
    uint64_t floor;         /* the first tick that no other user can have used */
    struct fz_kept_fd file; /* keeps it on an overlay, where a mapping does not */
    char path[FZ_CLAIM_PATH_SIZE];
};

#define FZ_CLAIM_NONE ((struct fz_claim){.used = NULL, .file = FZ_KEPT_NONE})

/* Whose file is in the way; the own user's, if somebody else locks that. */
struct fz_claim_other {
    uint64_t uid;
    int sys_errno; /* why it cannot be told whether the file is locked; 0: it is */
    char path[FZ_CLAIM_PATH_SIZE];
};

/* No errno, and above all refusals: somebody else has the number, or seems to. */
enum { FZ_CLAIM_TAKEN = -1 };

/*
 * The folder of this host's claims: /dev/shm or else /tmp (the portable build: /tmp or else /var/tmp), the first one
 * in which each user may make files, and remove only its own.  *ret is NULL where neither is like that, as in a
 * container without both; never freed.  0 or an errno.
 */
FZ_PRIVATE int fz_claim_folder(const char **ret);

/*
 * Claims the number, if no other user has it at this moment.  0, FZ_CLAIM_TAKEN (and *ret_other is set), an errno or a
 * refusal (and ret_other->path is set).  Any thread; a process can claim a number several times.
 */
FZ_PRIVATE int fz_claim_try(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                            struct fz_claim_other *ret_other);

/* After FZ_CLAIM_TAKEN: sleeps if it is worth another try, and says whether.  *waited_ns is 0 before the first time. */
FZ_PRIVATE bool fz_claim_pause(uint64_t *waited_ns, const struct fz_claim_other *other);

/*
 * Claims the number, and waits a quarter of a second for somebody who is only looking.  FRAZIL_EWORKER: another user
 * has the number, with sequence numbers that overlap these.  FRAZIL_ESYS.
 */
FZ_PRIVATE frazil_err fz_claim_take(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                                    frazil_error *reterr);

/* Fails as FRAZIL_ESYS for what fz_claim_try returned, with ret_other->path; or fz_claim_folder, with NULL. */
FZ_PRIVATE frazil_err fz_claim_fail(int sys, const char *path, frazil_error *reterr);

/* Whether another user has the number, without claiming it.  As fz_claim_try. */
FZ_PRIVATE int fz_claim_find(const struct fz_claim_key *key, uint32_t worker, struct fz_claim_other *ret_other);

/* Says that ticks up to this one may be used from now on.  Any thread, and forked children. */
FZ_PRIVATE void fz_claim_raise(const struct fz_claim *claim, uint64_t until);

/* Says that after all none above `used` was, unless somebody has said a later one than `until` meanwhile. */
FZ_PRIVATE void fz_claim_lower(const struct fz_claim *claim, uint64_t until, uint64_t used);

/* Gives it up as far as this process is concerned; NONE is fine. */
FZ_PRIVATE void fz_claim_release(struct fz_claim *claim);

#endif
