/* SPDX-License-Identifier: MIT */
/*
 * The files that a host keeps of its workers (the word in the run directory, the grant
 * in the state directory), shown to an operator; and the way out when one of them is
 * damaged or somebody else's.
 */
#ifndef FZ_ADMIN_STATE_H
#define FZ_ADMIN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frazil/error.h"
#include "frazil/layout.h"

/* Bytes of a path, terminator included. */
#define FZ_KEPT_PATH_SIZE 1024

/* A file of a worker. */
struct fz_kept_file {
    char path[FZ_KEPT_PATH_SIZE];
    bool exists;
    bool in_use;        /* a process has it open */
    bool stale;         /* a word from before the boot, or a copy of one: the next start makes it anew */
    frazil_error wrong; /* code FRAZIL_OK: nothing; else why no start can use it */
};

/*
 * The files of one worker and one pair of sequence bounds, or the word of the lease that the processes of this host
 * share.  The members after the files are the grant's, if it exists and nothing is wrong with it.
 */
struct fz_kept {
    bool is_lease; /* of a lease: the coordinator knows its worker, and keeps its grants */
    uint32_t worker;
    uint64_t seq_min;
    uint64_t seq_max;
    bool is_part; /* these are not all sequence numbers of the layout */
    struct fz_kept_file word;
    struct fz_kept_file grant;
    uint64_t pid; /* the process that wrote it; 0: it was given back */
    int64_t from_unix_ms;
    int64_t until_unix_ms;   /* the last tick that may have been used: the next one starts above it */
    int64_t highest_unix_ms; /* the last tick that ever was: far above, if the clock once was ahead */
};

/* The files of a namespace, in the order of the workers' numbers and their sequence bounds. */
struct fz_state {
    char layout[FRAZIL_FINGERPRINT_SIZE];
    char run_folder[FZ_KEPT_PATH_SIZE];
    char state_folder[FZ_KEPT_PATH_SIZE];
    size_t count;
    struct fz_kept *workers;
};

/* Decides what a spec means that keeps something here.  Errors as fz_decide for FZ_OPENING_FILES. */
struct fz_decision;
frazil_err fz_state_decide(struct fz_decision *ret, const char *spec, frazil_error *reterr);

/*
 * Looks at what generators of this decision keep: of its worker, or, with
 * worker=file-lock or none, of all workers that anything is kept of; what matters to
 * them of other sequence bounds, those that overlap, is part of it.  Makes no
 * directory.  Errors as frazil_open; FRAZIL_ESPEC also if it keeps nothing
 * on this host.  On success the caller frees it.
 */
frazil_err fz_state_look(const struct fz_decision *decision, struct fz_state *ret, frazil_error *reterr);

/* Frees the workers. */
void fz_state_free(struct fz_state *state);

/* Whether a start with this worker would fail for what is kept of it. */
bool fz_kept_is_wrong(const struct fz_kept *kept);

/*
 * Makes a worker's wrong files anew, or with `all` all of them (a grant file restored from an old copy looks
 * right), and looks at them again.  All that may have been granted until now is given up, so the next
 * ids come some seconds later.  FRAZIL_EWORKER: a process uses it, or another one with overlapping sequence bounds;
 * FRAZIL_ERANGE: the clock shows no tick of the layout; FRAZIL_ESYS.
 */
frazil_err fz_state_renew(const struct fz_decision *decision, struct fz_kept *kept, bool all, frazil_error *reterr);

#endif
