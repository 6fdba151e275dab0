/* SPDX-License-Identifier: MIT */
/*
 * A generator as Python holds it.
 *
 * The interpreter's lock (GIL) is kept during calls that cannot wait, which is what makes them cheap, and let go before
 * any that can.  A call of frazil that never waits may still ask a disk or a coordinator for more of a grant where no
 * thread of this process keeps it: in a child process, and under keeper=inline.  There the binding keeps the grant
 * itself, without the lock, and says in calm_until how long nobody will have to be asked.
 *
 * Closing waits for the calls that are under way without the lock: users counts them.
 *
 * Signals are looked at during all waits.  A wait is cut into pieces; what cannot be cut is a background job.
 */
#ifndef FRAZIL_PYTHON_GENERATOR_H
#define FRAZIL_PYTHON_GENERATOR_H

#include "internal.h"

#include <stdatomic.h>

#if defined(__GNUC__)
#define LIKELY(x) __builtin_expect(!!(x), 1)
#else
#define LIKELY(x) (x)
#endif

/* The party that may have to ask a disk or a coordinator when an id is taken. */
enum asking {
    ASKING_NOBODY, /* there is nothing to ask for, or the program does so (keeper=hook) */
    ASKING_THREAD, /* a thread of the process that opened it; in its children the callers */
    ASKING_CALLER, /* the callers: keeper=inline */
    ASKING_ALWAYS  /* each call may: the slots themselves come from elsewhere */
};

struct generator {
    PyObject_HEAD _Atomic(frazil *) gen; /* NULL: closed */
    _Atomic uint64_t calm_fork;  /* in the process with this count of forks, calls may keep the GIL; NEVER_CALM */
    _Atomic uint64_t calm_until; /* coarse monotonic ns: until then they may in any process */
    const struct state *state;   /* of the module below, which is kept alive for it */
    PyObject *module;
    PyObject *clock; /* a capsule that the generator needs, or NULL */
    PyObject *spec;  /* the canonical text of its options, without secrets; NULL: it is not open yet */
    PyObject *asked; /* the arguments of open(), for one that is opened at its first call; else NULL */
    uint64_t max_wait_ns;
    uint64_t tick_ns;
    uint64_t capacity;      /* ids in a tick */
    uint64_t request_ns;    /* ASKING_ALWAYS: as long as the server of the slots may take to answer; else 0 */
    bool full_is_error;     /* on_full=error */
    bool backward_is_error; /* on_backward=error */
    enum asking asking;
    _Atomic bool unopened;        /* `asked` is still to be done */
    _Atomic uint64_t opening;     /* 1 + the count of forks of the process of which a thread is opening it; 0 */
    _Atomic unsigned long opener; /* that thread; 0 */
    bool asks_server;             /* its worker id or its state is of a coordinator, which may be silent */
    bool is_frozen;               /* a manual clock that does not move while a call waits */
    bool own_time;                /* its clock is not the real one: waits are the library's to pretend */
    _Atomic uint32_t users;       /* calls under way; without a GIL all of them, else those that have let it go */
    _Atomic uint64_t users_forks; /* the count of forks that users belongs to: a child inherits no call */
};

#define NEVER_CALM UINT64_MAX

/* How often an ancestor of this process was forked since the module was loaded. */
extern _Atomic uint64_t fork_count;

/* Opens it, if it is one that its first call opens.  -1 with an exception set. */
int open_asked(struct generator *self);

static inline int ensure_open(struct generator *self)
{
    return LIKELY(!atomic_load_explicit(&self->unopened, memory_order_acquire)) ? 0 : open_asked(self);
}

/* Threads that were in a call when the process was forked are not in the child. */
void forget_parents_calls(struct generator *self);

/* Begins and ends a call that lets the GIL go, or runs without one.  NULL with an exception set: it is closed. */
frazil *enter(struct generator *self);
void leave(struct generator *self);

/* Takes the generator away, so that no call finds it any more; NULL: somebody has, or it was never opened. */
frazil *take_away(struct generator *self);

/* Closes it where the caller, the garbage collector, does not wait. */
void close_unseen(struct generator *self, frazil *gen);

/* Sets the exception of a closed generator.  Returns NULL. */
PyObject *raise_closed(const struct generator *self);

/* Monotonic time, to a few milliseconds. */
uint64_t coarse_ns(void);

/* Whether a call may keep the GIL although it is no longer, or not yet, known to be calm.  It may let the GIL go. */
bool became_calm(struct generator *self);

static inline bool is_calm(struct generator *self)
{
    return LIKELY(atomic_load_explicit(&self->calm_fork, memory_order_relaxed) ==
                  atomic_load_explicit(&fork_count, memory_order_relaxed)) ||
           became_calm(self);
}

/*
 * The generator, for a call that keeps the GIL; NULL: it is closed, and no exception is set.  With a GIL nobody can
 * close it meanwhile; without one it must be let go.
 */
static inline frazil *hold(struct generator *self)
{
#ifdef Py_GIL_DISABLED
    atomic_fetch_add(&self->users, 1);
    frazil *gen = atomic_load(&self->gen);
    if (gen == NULL)
        atomic_fetch_sub(&self->users, 1);
    return gen;
#else
    return atomic_load_explicit(&self->gen, memory_order_relaxed);
#endif
}

static inline void let_go(struct generator *self)
{
#ifdef Py_GIL_DISABLED
    atomic_fetch_sub(&self->users, 1);
#else
    (void)self;
#endif
}

/* Signal handlers run between pieces of this length. */
#define PIECE_NS UINT64_C(100000000)

/* A call that a thread makes. */
struct background_job {
    void (*run)(struct background_job *job);     /* in that thread, which has no GIL */
    void (*discard)(struct background_job *job); /* frees it, and its result: the caller has given up */
};

/*
 * Does it, without the GIL, while signal handlers run.  -1: one of them has raised, and the job, which goes on, is
 * no longer the caller's.
 */
int do_in_background(const struct state *state, struct background_job *job);

/* How many jobs go on in this process that are no longer a caller's.  Its end gives them a moment, too. */
extern _Atomic uint64_t abandoned_jobs;

/* The methods, a table for each file. */
extern PyMethodDef taking_methods[];
extern PyMethodDef sno_methods[];
extern PyMethodDef looking_methods[];
extern PyMethodDef closing_methods[];
PyObject *generator_next(PyObject *self, PyObject *ignored);

/* Lists grow by so many at a time, and between them other threads have a turn. */
enum { LIST_PIECE = 4096 };

static inline void give_others_a_turn(void)
{
    PyThreadState *thread = PyEval_SaveThread();

    PyEval_RestoreThread(thread);
}

/* The ids that a call takes: 64-bit ones, or snos of a metabyte. */
struct taking {
    void *ids;
    size_t n;
    bool is_sno;
    uint8_t meta;
};

/* Takes them all, waiting without the GIL where they are not free at once.  -1 with an exception set, and none taken.
 */
int take_ids(struct generator *self, const struct taking *taking, uint64_t wait_ns);

#endif
