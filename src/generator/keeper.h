/* SPDX-License-Identifier: MIT */
/*
 * The keeper: extends a generator's grant in good time.
 *
 * All that it knows stands in memory that the generator's processes share, so one
 * keeper serves them all.  A caller that finds the grant in its last quarter does the
 * keeper's work itself: a forked child has no keeper thread, and its parent may be gone.
 */
#ifndef FZ_GENERATOR_KEEPER_H
#define FZ_GENERATOR_KEEPER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/decision.h"
#include "frazil/generator.h"
#include "keeper_pool.h"
#include "lease/granter.h"

struct fz_keeper_shared;
struct fz_observation;

/* Bytes of a granter's name, terminator included; a longer URL or path is cut. */
#define FZ_GRANTER_NAME_SIZE 256

/* In place of a fork mark, which it never is: the generator is handed over to the thread that is at work. */
#define FZ_KEEPER_HANDED_OVER UINT64_MAX

/* Why nobody asks the granter, behind its name. */
#define FZ_NO_KEEPER_THREAD                                                                                            \
    " cannot be asked, as no thread can be created: raise the limits on threads and memory (ulimit -u, -v)"

/* In the process. */
struct fz_keeper {
    struct fz_granter granter;               /* ctx NULL: the worker needs no grant */
    char granter_name[FZ_GRANTER_NAME_SIZE]; /* for sentences, without passwords; set before opening */
    enum fz_keeper_mode mode;
    bool asks_program;          /* the granter is the program's: only its own threads call it */
    bool asks_coordinator;      /* whose answer may take long, and which is not asked in vain */
    _Atomic uint64_t inside;    /* by its fork mark: the process of which a thread extends the grant; 0: none */
    _Atomic uint64_t job;       /* likewise: a thread that a call has started is at work; 0: none */
    _Atomic bool lacks_thread;  /* the last call that wanted such a thread could create none */
    void (*go_on)(frazil *gen); /* what the thread that is at work does last, if fz_keeper_stop hands it over */
    _Atomic uint64_t new_tick;  /* where the grant begins if a quarantine holds it back until then; 0: none does */
    uint64_t process;           /* by its fork mark: the one that the granter was last used in */
    struct fz_keeper_task task; /* with FZ_KEEPER_THREAD; its queue is set before opening */
};

/*
 * Notes of a grant that is put in force where it begins.  The clock may be behind what a previous owner was granted:
 * then it counts as one that went back.
 */
FZ_PRIVATE void fz_note_floor(frazil *gen, const struct fz_grant *grant, uint64_t now_tick);

/*
 * Takes the first grant, up to the deadline if others are faster or there is no answer, and puts it in force;
 * with FZ_KEEPER_THREAD the threads of the process extend it from then on.  Takes over the granter, also when it fails.
 * Errors as frazil_open.
 */
FZ_PRIVATE frazil_err fz_keeper_open(frazil *gen, const struct fz_granter *granter, enum fz_keeper_mode mode,
                                     struct fz_deadline deadline, frazil_error *reterr);

/*
 * Extends the grant if no other thread is just doing so.  FRAZIL_OK also when
 * there is nothing to do; FRAZIL_EAGAIN: no answer, or too early after one that
 * failed; FRAZIL_ELEASE.
 */
FZ_PRIVATE frazil_err fz_keeper_extend(frazil *gen, struct fz_deadline deadline, frazil_error *reterr);

/*
 * The same for a call that waits at most until the deadline.  A request to a coordinator is not cut off, as an answer
 * that nobody sees costs the worker id: what takes longer goes on in a thread of its own, and the call has
 * FRAZIL_EAGAIN.
 */
FZ_PRIVATE frazil_err fz_keeper_extend_within(frazil *gen, struct fz_deadline deadline, frazil_error *reterr);

/* After a failure: how long until the next try.  0: it may be made now. */
FZ_PRIVATE uint64_t fz_keeper_retry_in_ns(const frazil *gen);

/* Whether a caller that reads now_tick from the clock must extend the grant itself. */
FZ_PRIVATE bool fz_keeper_is_due(const frazil *gen, const struct fz_grant *grant, uint64_t now_tick);

/*
 * Whether one grant can hold the ticks first to last, which lie beyond the one that is held.  *ret_tick: the first tick
 * of the clock in which it may be extended so far.
 */
FZ_PRIVATE bool fz_keeper_can_reach(const frazil *gen, const struct fz_grant *held, uint64_t first, uint64_t last,
                                    uint64_t *ret_tick);

/* Whether a thread of this process looks after it: a child inherits none. */
FZ_PRIVATE bool fz_keeper_has_thread(const frazil *gen);

/*
 * Whether a call that may not wait leaves the grant to another: to a thread of this process, or to the program,
 * which calls frazil_keep.  The thread is made to look at it now, unless a try has just failed: it sleeps on a clock
 * that stands still while the machine is suspended, and knows nothing of a wall clock that was set.
 */
FZ_PRIVATE bool fz_keeper_delegate(frazil *gen);

/*
 * Has no thread of this process look after it any more, and waits for one that is just at it until the deadline.
 * False: that is over, and the thread calls go_on(gen) when it has ended: the caller has nothing to do with gen then.
 */
FZ_PRIVATE bool fz_keeper_stop(frazil *gen, struct fz_deadline deadline, void (*go_on)(frazil *gen));

/* ---- of a grant, whether it is the first one or extends another ---- */

/*
 * Puts a grant in force in place of what was seen.  False: another process has put one there meanwhile, as this one
 * took too long, and nobody ever uses this one.
 */
FZ_PRIVATE bool fz_keeper_put_in_force(frazil *gen, const struct fz_observation *seen, const struct fz_grant *grant);

/* Callers have to wait for a quarantine, and not for a clock that went back. */
FZ_PRIVATE void fz_keeper_note_quarantine(frazil *gen, const struct fz_grant *grant);

/* How far a grant reaches when it is fresh; a namespace that was created anew may have another horizon. */
FZ_PRIVATE void fz_keeper_note_horizon(frazil *gen, const struct fz_grant *grant, uint64_t now_tick);

/* For those who are told why there is no grant, and those who wait behind this process. */
FZ_PRIVATE void fz_keeper_note_failure(struct fz_keeper_shared *shared, frazil_err err, const char *message);

/* There is a new grant: what has failed before it does not count any more, and puts nothing off. */
FZ_PRIVATE void fz_keeper_forget_failures(struct fz_keeper_shared *shared);

/* Has the threads of this process look after the grant from now on. */
FZ_PRIVATE frazil_err fz_keeper_join_pool(frazil *gen, frazil_error *reterr);

/* In a child, before it uses the granter: it must not go on with its parent's connections and locks. */
FZ_PRIVATE void fz_keeper_notice_fork(frazil *gen);

/* The grant at the end, to be given back. */
struct fz_remnant {
    struct fz_grant held; /* version 0: there is none */
    uint64_t used_tick;   /* nothing above it was issued */
};

/*
 * Ends the grant, so that a process that finds the page from now on does not use it, and returns what is left of it.
 * Only for the last process that has the word, when no slot can be taken any more.
 */
FZ_PRIVATE struct fz_remnant fz_keeper_end(frazil *gen);

/*
 * Gives back what fz_keeper_end returned; the page need not be there any more.  FRAZIL_OK: it was given back, or
 * nothing was to be; FRAZIL_EUNREACHABLE: it ends by itself.
 */
FZ_PRIVATE frazil_err fz_keeper_release(frazil *gen, struct fz_deadline deadline, const struct fz_remnant *remnant);

/* Closes the granter; releases nothing. */
FZ_PRIVATE void fz_keeper_close(frazil *gen);

#endif
