/* SPDX-License-Identifier: MIT */
/*
 * Claims on worker numbers, which keep apart all programs of one host that share no word: those of several users, and
 * those of one user with several run directories.  A claim is a file that everybody can read, in the host directory, in
 * which everybody makes files and nobody removes those of others (/dev/shm, as it has the sticky bit).  It belongs to
 * one word.  Its name says the layout and namespace (two hashes), the worker, the sequence numbers and the word.  A
 * process that has the number holds a shared flock on the claim; a forked child holds it together with its parent.
 *
 * A process locks its own claim first, and only then looks whether others are locked.  So two that begin at once may
 * both see the other, but never neither.  Then the one whose file's name is lower waits for the other to step back.
 * To look is to try an exclusive lock for a moment.  That moment can be in the way of the owner or of a third one, so
 * they try again for a while (fz_claim_patience).
 *
 * A claim also has the first tick for which its word cannot have used the number, and others begin there.  It stays
 * when its processes end, until the next boot, or until a process of the same user has taken over its content.  That
 * tick is lowered only by the process that raised it, to what it used, whatever becomes of the owner's private files.
 * A process with the same run and state directory goes by its own grants instead, if these cover all that the claim
 * says.
 *
 * A claim is marked by a bit of its mode before its number is used, and, on a disk, after its content is there: a
 * process may be killed before, and the power may be lost.  One with the mark that is not what is written here may have
 * said anything: it counts as used for ever, until it is removed.
 *
 * A hostile user can lock a file of any name, or write a tick of the far future, and so refuse numbers to others.  It
 * can remove no file but its own, so it cannot make two others use one number.
 */
#ifndef FZ_OS_CLAIM_H
#define FZ_OS_CLAIM_H

#include <stdint.h>

#include "claim_page.h"
#include "core/bounds.h"
#include "core/deadline.h"
#include "file.h"
#include "folder.h"
#include "frazil/error.h"
#include "kept_fd.h"

/* Bytes of a claim's path, terminator included. */
enum { FZ_CLAIM_PATH_SIZE = FZ_PATH_SIZE };

/* Where claims are if nobody names a folder. */
enum { FZ_DEFAULT_HOST_DIR_SIZE = 9 };
extern const char fz_default_host_dir[FZ_DEFAULT_HOST_DIR_SIZE];

/* A word, as no other one of this kernel has these three numbers: a copy of its file lies elsewhere. */
struct fz_claim_word {
    uint64_t nonce;
    uint64_t device;
    uint64_t inode;
};

/* The grants of a word, which may know that all these ticks were used. */
struct fz_claim_grants {
    bool (*knows)(void *ctx, uint64_t first, uint64_t last);
    void *ctx;
};

/* Which ids the number is for, and which process wants it. */
struct fz_claim_key {
    const char *folder; /* of fz_claim_folder */
    const char *fingerprint;
    const char *name; /* of the namespace */
    struct fz_bounds bounds;
    uint64_t tick_ms;
    uint64_t now_tick;  /* of the present */
    uint64_t max_ahead; /* in ticks: a number that was used further beyond the present is refused */
    uint64_t max_lead;  /* the same for what the own claim says, where it is more: the own ids may lead so far */
    const char *holder; /* the run directory or another name, for others to read; what does not fit is left out */
    const char *state;  /* the folder in which the word's grants are kept; NULL: none */
    const struct fz_claim_grants *grants; /* these; NULL: they know of nothing */
    struct fz_claim_word word;
    bool is_alone; /* there is no word, as the state is in memory: nobody shares the claim but forked children */
};

struct fz_claim {
    /* Keeps the lock when the program closes all descriptors, as daemons do.  NULL: nothing is claimed. */
    struct fz_claim_page *page;
    uint64_t floor;          /* the first tick that nobody else can have used */
    struct fz_kept_fd file;  /* keeps it on an overlay, where a mapping does not */
    struct fz_folder folder; /* in which it lay at first, and in which others look */
    /* The first one, if a mount may have covered it: it keeps those away who see it by another mount.  Or NULL. */
    struct fz_claim_page *covered;
    struct fz_kept_fd covered_file;
    struct fz_claim_key key; /* how it was claimed; for claim.c alone, as its texts may be gone */
    bool is_finished;        /* marked in the folder as one whose number is used */
    bool state_differs;      /* its former holders keep their grants in another folder, page->state */
    size_t beginning;        /* how much of the path all claims on the number have in common */
    char path[FZ_CLAIM_PATH_SIZE];
};

#define FZ_CLAIM_NONE ((struct fz_claim){.page = NULL, .file = FZ_KEPT_NONE, .covered_file = FZ_KEPT_NONE})

/* The file that is in the way; the own one, if another process locks it. */
struct fz_claim_other {
    uint64_t uid;
    /* Not 0: nobody holds it, but its word may have used all ticks before this one, of the future; FZ_CLAIM_UNKNOWN: it
     * was cut short or overwritten. */
    uint64_t until;
    int sys_errno; /* why it cannot be told whether the file is locked; 0: it is */
    bool is_own;
    char holder[FZ_CLAIM_HOLDER_SIZE]; /* "": it has not said */
    char path[FZ_CLAIM_PATH_SIZE];
};

/* No errno, and above all refusals: another process has the number, or seems to. */
enum { FZ_CLAIM_TAKEN = -1 };

/*
 * The host directory.  wanted (host_dir=) is made if it is not there, for all users (mode 1777).  NULL or empty:
 * /dev/shm (the portable build: /tmp), in which each user may make files, and remove only its own.  FRAZIL_ESPEC: the
 * path is not absolute.  FRAZIL_ESYS: there is none, or others could remove files in it.
 */
FZ_PRIVATE frazil_err fz_claim_folder(char ret[FZ_PATH_SIZE], const char *wanted, frazil_error *reterr);

/* Whether fz_claim_folder would succeed, and this process may make files there, as far as a look can tell. */
FZ_PRIVATE frazil_err fz_claim_folder_look(const char *wanted, frazil_error *reterr);

/* Whether this process may make files in the host directory, without making one.  FRAZIL_ESYS, with the reason. */
FZ_PRIVATE frazil_err fz_claim_folder_check(const char *folder, frazil_error *reterr);

/*
 * Claims the number, if nobody else has it at this moment.  0, FZ_CLAIM_TAKEN (and *ret_other is set), an errno or a
 * refusal (and ret_other->path is set).  Any thread; the processes of a word can claim it together.
 */
FZ_PRIVATE int fz_claim_try(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                            struct fz_claim_other *ret_other);

/* How long one call waits for others: all its tries together. */
struct fz_claim_patience {
    struct fz_deadline deadline; /* of the call */
    uint64_t left_ns;            /* of the sleep that is worth it, and the next one */
    uint64_t next_ns;
    uint64_t longest_ns; /* pauses double up to this */
};

/*
 * Of a call that begins.  For one number it waits a quarter of a second, for processes that only look or give way.
 * is_of_pool: any holder of a full pool may end, so it waits until the deadline, and looks less often.
 */
FZ_PRIVATE struct fz_claim_patience fz_claim_patience(struct fz_deadline deadline, bool is_of_pool);

/* After FZ_CLAIM_TAKEN: sleeps if it is worth another try, and says whether. */
FZ_PRIVATE bool fz_claim_pause(struct fz_claim_patience *patience);

/* As fz_claim_try, and waits as long as there is patience.  Of several that try at once, one gets it. */
FZ_PRIVATE int fz_claim_insist(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                               struct fz_claim_patience *patience, struct fz_claim_other *ret_other);

/*
 * The same as an error.  FRAZIL_EWORKER: another process has it, with sequence numbers that overlap these, or has used
 * it in the future.  FRAZIL_ESTATE: a claim was cut short or overwritten.  FRAZIL_ESYS.
 */
FZ_PRIVATE frazil_err fz_claim_take(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                                    struct fz_claim_patience *patience, frazil_error *reterr);

/* Fails as FRAZIL_ESYS for what fz_claim_try returned, with ret_other->path. */
FZ_PRIVATE frazil_err fz_claim_fail(int sys, const char *path, frazil_error *reterr);

/* Fails as FRAZIL_EWORKER, FRAZIL_ESTATE or FRAZIL_ESYS: *other has the number. */
FZ_PRIVATE frazil_err fz_claim_refuse(uint32_t worker, const struct fz_claim_key *key,
                                      const struct fz_claim_other *other, frazil_error *reterr);

/* Whether another process has the number, without claiming it.  As fz_claim_try, but the own file is not looked at. */
FZ_PRIVATE int fz_claim_find(const struct fz_claim_key *key, uint32_t worker, struct fz_claim_other *ret_other);

/* Claims that processes hold on numbers of one layout. */
struct fz_claims_held {
    uint64_t count;
    uint32_t first;              /* the lowest of the numbers, */
    uint32_t last;               /* the highest, */
    struct fz_claim_other other; /* and who has the lowest */
};

/*
 * Looks for those on numbers from first to last, in all namespaces, whose sequence numbers overlap: key's folder,
 * fingerprint and bounds count.  One that cannot be asked, or that another process just looks at, counts as held.  0,
 * or an errno of the folder; what was found until then is in *ret.
 */
FZ_PRIVATE int fz_claim_find_held(const struct fz_claim_key *key, uint32_t first, uint32_t last,
                                  struct fz_claims_held *ret);

/* Bytes of the words for who has a claim, terminator included. */
enum { FZ_CLAIM_OTHER_SIZE = 600 };

/* "uid 1001 (alice) with the run directory '/run/user/1001/frazil'" */
FZ_PRIVATE void fz_claim_say_other(char ret[FZ_CLAIM_OTHER_SIZE], const struct fz_claim_other *other);

/*
 * Whether the holders of the claim of key->word keep their grants in another folder than key->state, and which that is.
 * It holds the file for a moment, as fz_claim_find does those of others.
 */
FZ_PRIVATE bool fz_claim_state_differs(const struct fz_claim_key *key, uint32_t worker,
                                       char ret_state[FZ_CLAIM_HOLDER_SIZE]);

/*
 * Puts the claim back if it was removed, which others take for a number that is free.  In the present of
 * now_tick, and as fz_claim_insist; claim->floor may rise.  On failure there is no claim that others could see, and the
 * next call tries again.  It may map another page, so no other thread may call a function with this claim meanwhile;
 * the path stays.  NONE is fine.
 *
 * Where a mount has covered the folder for all, it is made in the new one as well.  Where the path leads to another
 * folder for this process alone, as after chroot(), nothing is made: the claim stays where it is, unless a process has
 * the number there.  If it was removed, or its descriptor was closed, so that this cannot be told, that is
 * FZ_REFUSED_ELSEWHERE.
 */
FZ_PRIVATE int fz_claim_keep(struct fz_claim *claim, uint64_t now_tick, struct fz_deadline deadline,
                             struct fz_claim_other *ret_other);

/* Fails as FRAZIL_ELEASE: *other has got the number after this claim was removed, or has used it in the future. */
FZ_PRIVATE frazil_err fz_claim_lost(const struct fz_claim *claim, const struct fz_claim_other *other,
                                    frazil_error *reterr);

/* The last tick that it says may have been used; 0: that one at most, or nothing is claimed.  Any thread, not beside
 * fz_claim_keep.
 */
FZ_PRIVATE uint64_t fz_claim_used(const struct fz_claim *claim);

/* Says which tick the word was granted first, unless that was said before.  Any thread, and forked children; not beside
 * fz_claim_keep. */
FZ_PRIVATE void fz_claim_begin(const struct fz_claim *claim, uint64_t first);

/* Says that ticks up to this one may be used from now on.  Any thread, and forked children; not beside fz_claim_keep.
 */
FZ_PRIVATE void fz_claim_raise(const struct fz_claim *claim, uint64_t until);

/* Says that after all none above `used` was, unless a process has said a later one than `until` meanwhile. */
FZ_PRIVATE void fz_claim_lower(const struct fz_claim *claim, uint64_t until, uint64_t used);

/* Gives it up as far as this process is concerned; NONE is fine. */
FZ_PRIVATE void fz_claim_release(struct fz_claim *claim);

/* Gives one that fz_claim_keep never saw up for children that were forked meanwhile, too: what it says stays, and
 * nobody holds the number any more. */
FZ_PRIVATE void fz_claim_leave(struct fz_claim *claim);

#endif
