/* SPDX-License-Identifier: MIT */
/*
 * The page of the hot word as a file that any number of processes of one host
 * map.  It lies in the run directory and lives as long as the kernel does: a
 * file from before the last boot, or a copy of one, is replaced, because a disk
 * may have kept an old state of it.  A file of another layout, worker or version
 * is an error, never a guess.
 *
 * The file appears with its whole header at once, and each process that has it
 * mapped, forked children included, holds a shared flock on it: that tells the
 * last one to leave that it is the last.
 */
#ifndef FZ_OS_WORD_FILE_H
#define FZ_OS_WORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bounds.h"
#include "frazil/error.h"
#include "guard.h"

/* Raise it when the header or anything in the payload changes its place or its meaning. */
#define FZ_WORD_FILE_VERSION 1

/* Bytes of the file before the payload, which is aligned to as many. */
#define FZ_WORD_FILE_HEADER_SIZE 512

struct fz_word_file;

typedef frazil_err fz_word_admission(void *ctx, const struct fz_word_file *file, frazil_error *reterr);

/* The owner of a word. */
struct fz_word_identity {
    const char *fingerprint; /* of the layout, as fz_layout_value writes it */
    uint64_t worker;         /* or the number of what else the word is of, as of a lease that processes share */
    struct fz_bounds bounds; /* of the sequence numbers */
    /*
     * Called with the payload at each opening, while the worker's guard keeps all others out: makes a new payload
     * ready, or one whose maker was killed before it was.  NULL: nothing is to be done.
     */
    void (*prepare)(void *payload);
    /*
     * Called after that, also inside the guard.  Its failure is the opening's, which has then never had the word:
     * nobody has seen it there.  NULL: everybody is admitted.
     */
    fz_word_admission *admit;
    void *ctx;
};

struct fz_word_file {
    void *payload;   /* shared; all zero when the file was made */
    uint64_t nonce;  /* this word's own: another one after the file was removed and made again */
    uint64_t device; /* the file system that the file lies in */
    bool created;    /* by this call */
    bool alone;      /* the file is locked against everybody else, to look whether anybody has it */

    uint64_t inode;
    char path[FZ_PATH_SIZE];
    char worker_path[FZ_PATH_SIZE]; /* of the file for all sequence numbers: its guard is that of the worker */
    struct fz_guard guard;
    struct fz_kept_fd file;
    size_t payload_size;
};

/*
 * Maps the word's file, and makes it if there is none, or only one from before
 * the boot.  path is absolute, and that of the worker: the
 * word of bounded sequences lies beside it (shards.h), in a folder that must be
 * there.  payload_size >= 1.  A process that is killed at any point leaves a file
 * that the next one can use or make anew.
 *
 * FRAZIL_EWORKER: a process has a word of this worker whose bounds overlap these
 * and are not the same.
 * FRAZIL_ESTATE: the file is of another layout, worker, version, machine or
 * program, or is truncated; the sentence says what was found and what expected.
 * FRAZIL_ESYS: a system call failed.  FRAZIL_EAGAIN: the file's guard was waited for in vain (guard.h).
 */
FZ_PRIVATE frazil_err fz_word_file_open(struct fz_word_file *ret, const char *path,
                                        const struct fz_word_identity *identity, size_t payload_size,
                                        struct fz_deadline deadline, frazil_error *reterr);

/* A word file as it looks from outside. */
struct fz_word_file_status {
    bool exists;
    bool in_use;    /* a process has it mapped */
    uint64_t nonce; /* of a file that is not stale or wrong, with the two numbers of where it lies */
    uint64_t device;
    uint64_t inode;
    bool stale;         /* from before the boot, or a copy: the next open makes it anew */
    frazil_error wrong; /* code FRAZIL_OK: nothing; FRAZIL_ESTATE: why it cannot be opened */
};

/* Looks at the file without making, mapping or changing it; path as above.  FRAZIL_ESPEC, FRAZIL_ESYS. */
FZ_PRIVATE frazil_err fz_word_file_inspect(struct fz_word_file_status *ret, const char *path,
                                           const struct fz_word_identity *identity, size_t payload_size,
                                           frazil_error *reterr);

/*
 * Removes the file of these bounds, whatever it is: the way out of FRAZIL_ESTATE.
 * path as above; the identity's fingerprint does not matter.  A missing file is no
 * error.  FRAZIL_EWORKER: a process has it mapped, or a word of this worker whose
 * bounds overlap these.  FRAZIL_ESPEC, FRAZIL_ESYS.
 */
FZ_PRIVATE frazil_err fz_word_file_discard(const char *path, const struct fz_word_identity *identity,
                                           frazil_error *reterr);

/*
 * Whether the file is still there as it was: not removed, replaced or cut.  One
 * system call.  Any thread, and forked children.
 */
FZ_PRIVATE bool fz_word_file_is_current(const struct fz_word_file *file);

/*
 * Leaves: unmaps the payload, and finds out whether anybody else, here or in a
 * forked child that has not even run yet, still has the word.  True: none has,
 * and nobody will before fz_word_file_close; the payload is mapped again so that
 * it can be read.  False: one has, or it cannot be known up to the deadline; payload is NULL.
 * Until close, which must follow soon, nobody can open the word.  No other thread
 * may use the file meanwhile.
 */
FZ_PRIVATE bool fz_word_file_leave(struct fz_word_file *file, struct fz_deadline deadline);

/* After fz_word_file_leave was true: removes the file, so that the next open makes a new word.  0 or an errno. */
FZ_PRIVATE int fz_word_file_remove(struct fz_word_file *file);

/* Unmaps and closes.  The file stays. */
FZ_PRIVATE void fz_word_file_close(struct fz_word_file *file);

#endif
