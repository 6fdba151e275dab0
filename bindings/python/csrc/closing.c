/* SPDX-License-Identifier: MIT */
/* Closing generators: one by a call, one that nobody has any more, and all at the end of the program. */
#include "generator.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* Waits, without the GIL, until no call is under way any more.  They end as frazil_stop says: within a piece of a wait.
 */
static void await_users(struct generator *self, frazil *gen)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    forget_parents_calls(self);
    if (atomic_load(&self->users) == 0)
        return;
    frazil_stop(gen);
    while (atomic_load(&self->users) != 0)
        (void)nanosleep(&pause, NULL);
}

frazil *take_away(struct generator *self)
{
    atomic_store(&self->unopened, false);
    atomic_store(&self->calm_fork, NEVER_CALM);
    atomic_store(&self->calm_until, 0);
    return atomic_exchange(&self->gen, NULL);
}

struct close_job {
    struct background_job job;
    frazil *gen;
    uint64_t wait_ns;
    frazil_err err;
};

static void run_close(struct background_job *job)
{
    struct close_job *close = (struct close_job *)job;

    if (close->wait_ns == FRAZIL_WAIT_FOREVER)
        frazil_close(close->gen);
    else
        close->err = frazil_close_within(close->gen, close->wait_ns);
}

static void discard_close(struct background_job *job)
{
    free(job);
}

/* Closes it, where that asks nobody in the calling thread.  -1 with an exception set. */
static int close_seen(struct generator *self, frazil *gen, uint64_t wait_ns)
{
    struct close_job *close = calloc(1, sizeof *close);

    if (close == NULL) {
        (void)!frazil_close_within(gen, 0);
        PyErr_NoMemory();
        return -1;
    }
    *close = (struct close_job){.job = {run_close, discard_close}, .gen = gen, .wait_ns = wait_ns};
    if (!self->asks_server) {
        Py_BEGIN_ALLOW_THREADS run_close(&close->job);
        Py_END_ALLOW_THREADS
    } else if (do_in_background(self->state, &close->job) < 0) {
        Py_XINCREF(self->clock); /* the background job may use it for as long as the process lives */
        return -1;
    }
    frazil_err err = close->err;
    free(close);
    if (err != FRAZIL_OK)
        (void)raise_code(self->state, err);
    return err == FRAZIL_OK ? 0 : -1;
}

static PyObject *generator_close(PyObject *object, PyObject *args)
{
    struct generator *self = (struct generator *)object;
    uint64_t wait_ns = FRAZIL_WAIT_FOREVER;

    if (!PyArg_ParseTuple(args, "|O&", to_wait, &wait_ns))
        return NULL;
    frazil *gen = take_away(self);
    if (gen == NULL)
        Py_RETURN_NONE;
    Py_BEGIN_ALLOW_THREADS await_users(self, gen);
    Py_END_ALLOW_THREADS if (close_seen(self, gen, wait_ns) < 0) return NULL;
    Py_RETURN_NONE;
}

void close_unseen(struct generator *self, frazil *gen)
{
    /* A coordinator that answers does so in this time.  For one that does not, a thread of the library's goes on. */
    const uint64_t moment_ns = 50000000;

    /* Without a GIL, other threads may have used it since its first call opened it. */
    Py_BEGIN_ALLOW_THREADS await_users(self, gen);
    if (self->asks_server)
        (void)!frazil_close_within(gen, moment_ns);
    else
        frazil_close(gen);
    Py_END_ALLOW_THREADS
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* The generators that the end of the program closes, each in a thread of its own: one silent coordinator does not use
 * up the time of the others. */
struct ending {
    _Atomic size_t left;    /* generators that are still being closed */
    _Atomic size_t holders; /* threads that still use this */
    uint64_t wait_ns;
};

struct end_of_one {
    struct ending *ending;
    struct generator *self;
    frazil *gen;
};

static void release_ending(struct ending *ending)
{
    if (atomic_fetch_sub(&ending->holders, 1) == 1)
        free(ending);
}

static void *close_one(void *argument)
{
    struct end_of_one *one = argument;
    struct ending *ending = one->ending;

    await_users(one->self, one->gen);
    (void)!frazil_close_within(one->gen, ending->wait_ns);
    free(one);
    atomic_fetch_sub(&ending->left, 1);
    release_ending(ending);
    return NULL;
}

static void begin_end(struct ending *ending, struct generator *self)
{
    frazil *gen = take_away(self);
    struct end_of_one *one = gen == NULL ? NULL : malloc(sizeof *one);
    pthread_t thread;

    if (gen == NULL)
        return;
    if (one != NULL) {
        *one = (struct end_of_one){.ending = ending, .self = self, .gen = gen};
        atomic_fetch_add(&ending->left, 1);
        atomic_fetch_add(&ending->holders, 1);
        if (pthread_create(&thread, NULL, close_one, one) == 0) {
            (void)pthread_detach(thread);
            return;
        }
        atomic_fetch_sub(&ending->left, 1);
        atomic_fetch_sub(&ending->holders, 1);
        free(one);
    }
    frazil_stop(gen); /* without memory or threads: the worker id is free when its grant has ended */
}

/* Whether all have ended in that time, by a clock that nobody sets.  Calls that Ctrl-C cut short have the same time, so
 * that an opening gives its worker id back. */
static bool await_ends(struct ending *ending)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    uint64_t begun_ns = coarse_ns();

    while ((atomic_load(&ending->left) != 0 || atomic_load(&abandoned_jobs) != 0) &&
           coarse_ns() - begun_ns < ending->wait_ns)
        (void)nanosleep(&pause, NULL);
    bool all = atomic_load(&ending->left) == 0;
    release_ending(ending);
    return all;
}

/* close_all(list, seconds): what is not closed by then is left to its threads, which end with the process. */
PyObject *close_generators(PyObject *module, PyObject *args)
{
    struct state *state = PyModule_GetState(module);
    PyObject *list;
    uint64_t wait_ns;
    bool all_ended;

    if (!PyArg_ParseTuple(args, "O!O&", &PyList_Type, &list, to_wait, &wait_ns))
        return NULL;
    struct ending *ending = calloc(1, sizeof *ending);
    if (ending == NULL)
        return PyErr_NoMemory();
    atomic_store(&ending->holders, 1);
    ending->wait_ns = wait_ns;
    for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
        PyObject *object = PyList_GetItem(list, i);
        if (PyObject_TypeCheck(object, state->generator_type))
            begin_end(ending, (struct generator *)object);
    }
    Py_BEGIN_ALLOW_THREADS all_ended = await_ends(ending);
    Py_END_ALLOW_THREADS if (!all_ended) Py_INCREF(list); /* its objects are in use until the process ends */
    Py_RETURN_NONE;
}

PyMethodDef closing_methods[] = {
    {"close", generator_close, METH_VARARGS,
     "close($self, timeout=None, /)\n--\n\n"
     "Closes the generator.  With a timeout, raises if the worker id was not released within that time."},
    {NULL, NULL, 0, NULL},
};
