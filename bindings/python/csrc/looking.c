/* SPDX-License-Identifier: MIT */
/* Looking at a generator, keeping its grant, and stopping it. */
#include "generator.h"

/* The generator's info, and its layout, which that names; false: an exception is set. */
static bool look(PyObject *object, frazil_info *ret, frazil_layout *ret_layout)
{
    struct generator *self = (struct generator *)object;
    frazil *gen = enter(self);

    if (gen == NULL)
        return false;
    frazil_get_info(gen, ret, sizeof *ret);
    *ret_layout = *ret->layout;
    leave(self);
    return true;
}

static PyObject *get_info(PyObject *object, PyObject *ignored)
{
    static const char *const kinds[] = {"memory", "file", "grant", "slots"};
    frazil_layout layout;
    frazil_info info;

    (void)ignored;
    if (!look(object, &info, &layout))
        return NULL;
    return Py_BuildValue("(IIIIKKNNsI)", (unsigned)info.worker, (unsigned)info.sequence_min,
                         (unsigned)info.sequence_max, (unsigned)info.sequence,
                         (unsigned long long)(info.capacity - info.available), (unsigned long long)info.capacity,
                         PyBool_FromLong((long)info.counter_in_use), PyBool_FromLong((long)info.state_is_new),
                         info.state < sizeof kinds / sizeof kinds[0] ? kinds[info.state] : "unknown",
                         (unsigned)info.collision_ppm);
}

static PyObject *get_health(PyObject *object, PyObject *ignored)
{
    struct generator *self = (struct generator *)object;
    frazil_health health;
    frazil *gen = enter(self);

    (void)ignored;
    if (gen == NULL)
        return NULL;
    frazil_get_health(gen, &health, sizeof health, NULL);
    leave(self);
    return Py_BuildValue("(isINLKKK)", (int)health.state, frazil_err_name((frazil_err)health.last_code),
                         (unsigned)health.worker, PyBool_FromLong(health.needs_grant != 0),
                         (long long)health.grant_end_unix_ms, (unsigned long long)health.horizon_ns,
                         (unsigned long long)health.next_keep_ns, (unsigned long long)health.failures);
}

static PyObject *last_failure(PyObject *object, PyObject *ignored)
{
    struct generator *self = (struct generator *)object;
    frazil_health health;
    frazil_error error;
    frazil *gen = enter(self);

    (void)ignored;
    if (gen == NULL)
        return NULL;
    frazil_get_health(gen, &health, sizeof health, &error);
    leave(self);
    if (health.last_code == FRAZIL_OK)
        Py_RETURN_NONE;
    return error_object(self->state, &error);
}

static PyObject *stats(PyObject *object, PyObject *ignored)
{
    frazil_stat rows[FRAZIL_STATS_MOST];
    struct generator *self = (struct generator *)object;
    frazil *gen = enter(self);

    (void)ignored;
    if (gen == NULL)
        return NULL;
    /* No object is made meanwhile: that may run any finaliser, one that closes this generator too. */
    size_t count = frazil_get_stats(gen, rows, FRAZIL_STATS_MOST);
    leave(self);
    PyObject *ret = PyDict_New();
    for (size_t i = 0; ret != NULL && i < count; i++) {
        PyObject *value = PyLong_FromUnsignedLongLong(rows[i].value);
        if (value == NULL || PyDict_SetItemString(ret, rows[i].name, value) < 0)
            Py_CLEAR(ret);
        Py_XDECREF(value);
    }
    return ret;
}

/* _next_event(cursor): the next cursor and the event's parts; None: there is none yet. */
static PyObject *next_event(PyObject *object, PyObject *given)
{
    struct generator *self = (struct generator *)object;
    frazil_event event;
    uint64_t cursor = PyLong_AsUnsignedLongLong(given);

    if (PyErr_Occurred() != NULL)
        return NULL;
    frazil *gen = enter(self);
    if (gen == NULL)
        return NULL;
    bool there = frazil_next_event(gen, &cursor, &event, sizeof event);
    leave(self);
    if (!there)
        Py_RETURN_NONE;
    const char *code = event.code == FRAZIL_OK ? NULL : frazil_err_name((frazil_err)event.code);
    return Py_BuildValue("(KszILKK)", (unsigned long long)cursor, frazil_event_name(event.kind), code,
                         (unsigned)event.worker, (long long)event.unix_ms, (unsigned long long)event.value,
                         (unsigned long long)event.missed);
}

static PyObject *event_fd(PyObject *object, PyObject *ignored)
{
    struct generator *self = (struct generator *)object;
    frazil_error error;
    frazil *gen = enter(self);
    int fd;

    (void)ignored;
    if (gen == NULL)
        return NULL;
    frazil_err err = frazil_event_fd(gen, &fd, &error);
    leave(self);
    return err == FRAZIL_OK ? PyLong_FromLong(fd) : raise_error(self->state, &error);
}

static PyObject *available(PyObject *object, PyObject *ignored)
{
    frazil_layout layout;
    frazil_info info;

    (void)ignored;
    return look(object, &info, &layout) ? PyLong_FromUnsignedLongLong(info.available) : NULL;
}

static PyObject *layout_of(PyObject *object, PyObject *ignored)
{
    frazil_layout layout;
    frazil_info info;

    (void)ignored;
    return look(object, &info, &layout) ? layout_capsule(&layout) : NULL;
}

static PyObject *stop(PyObject *object, PyObject *ignored)
{
    struct generator *self = (struct generator *)object;

    (void)ignored;
    if (atomic_exchange(&self->unopened, false)) /* it has no generator: it is closed instead */
        Py_RETURN_NONE;
    frazil *gen = enter(self);
    if (gen == NULL)
        return NULL;
    frazil_stop(gen);
    leave(self);
    Py_RETURN_NONE;
}

/*
 * One piece of keep(), which waits for the answer to a request that goes on.  *last: the whole call would have ended,
 * too.  Of a request that ended between two pieces the health tells what its own call would have.
 */
static frazil_err keep_piece(frazil *gen, uint64_t piece_ns, bool first, bool *last, uint64_t *ret_next_ns,
                             frazil_error *error)
{
    uint64_t begun_ns = coarse_ns();
    frazil_err err = frazil_keep(gen, piece_ns, ret_next_ns, error);
    frazil_health health;
    frazil_error why;

    *last = *last || err != FRAZIL_EAGAIN || coarse_ns() - begun_ns < piece_ns / 2;
    if (!first && err == FRAZIL_EAGAIN && *last) {
        frazil_get_health(gen, &health, sizeof health, &why);
        if (health.last_code != FRAZIL_OK) {
            *error = why;
            err = (frazil_err)health.last_code;
        }
    }
    return err;
}

/* Returns the ns until it is to be called again; FRAZIL_WAIT_FOREVER as None. */
static PyObject *keep_grant(PyObject *object, PyObject *args)
{
    struct generator *self = (struct generator *)object;
    uint64_t wait_ns = 0;
    uint64_t next_ns;
    frazil_error error;
    frazil_err err;
    bool last = false;

    if (!PyArg_ParseTuple(args, "|O&", to_wait, &wait_ns) || ensure_open(self) < 0)
        return NULL;
    uint64_t whole_ns = wait_ns == FRAZIL_WAIT_DEFAULT ? self->max_wait_ns : wait_ns;
    uint64_t begun_ns = coarse_ns();
    for (bool first = true;; first = false) {
        uint64_t passed_ns = coarse_ns() - begun_ns;
        uint64_t left_ns = whole_ns == FRAZIL_WAIT_FOREVER ? whole_ns : whole_ns > passed_ns ? whole_ns - passed_ns : 0;
        last = self->own_time || left_ns <= PIECE_NS;
        uint64_t piece_ns = last ? left_ns : PIECE_NS;
        frazil *gen = enter(self);
        if (gen == NULL)
            return NULL;
        Py_BEGIN_ALLOW_THREADS err = keep_piece(gen, piece_ns, first, &last, &next_ns, &error);
        Py_END_ALLOW_THREADS leave(self);
        if (last)
            break;
        if (check_signals(self->state) < 0)
            return NULL;
    }
    /* An answer that has not come yet is not an error: the present grant stands, and health() tells. */
    if (err != FRAZIL_OK && error.err_class != FRAZIL_CLASS_RETRY)
        return raise_error(self->state, &error);
    if (next_ns == FRAZIL_WAIT_FOREVER)
        Py_RETURN_NONE;
    return PyFloat_FromDouble((double)next_ns / 1e9);
}

static PyObject *get_spec(PyObject *object, PyObject *ignored)
{
    struct generator *self = (struct generator *)object;

    (void)ignored;
    if (self->spec == NULL && (ensure_open(self) < 0 || self->spec == NULL))
        return PyErr_Occurred() == NULL ? raise_closed(self) : NULL;
    Py_INCREF(self->spec);
    return self->spec;
}

static PyObject *is_unopened(PyObject *object, PyObject *ignored)
{
    (void)ignored;
    return PyBool_FromLong(atomic_load(&((struct generator *)object)->unopened));
}

static PyObject *is_closed(PyObject *object, PyObject *ignored)
{
    struct generator *self = (struct generator *)object;

    (void)ignored;
    return PyBool_FromLong(atomic_load(&self->gen) == NULL && !atomic_load(&self->unopened));
}

/* The seconds that a call may wait by the spec; None: without an end.  The generator is open. */
static PyObject *max_wait(PyObject *object, PyObject *ignored)
{
    const struct generator *self = (const struct generator *)object;

    (void)ignored;
    if (self->max_wait_ns == FRAZIL_WAIT_FOREVER)
        Py_RETURN_NONE;
    return PyFloat_FromDouble((double)self->max_wait_ns / 1e9);
}

/* Whether a call that never waits will neither ask a disk nor a coordinator. */
static PyObject *never_asks(PyObject *object, PyObject *ignored)
{
    (void)ignored;
    return PyBool_FromLong(is_calm((struct generator *)object));
}

PyMethodDef looking_methods[] = {
    {"_info", get_info, METH_NOARGS, NULL},
    {"_health", get_health, METH_NOARGS, NULL},
    {"_layout", layout_of, METH_NOARGS, NULL},
    {"_next_event", next_event, METH_O, NULL},
    {"_event_fd", event_fd, METH_NOARGS, NULL},
    {"_spec", get_spec, METH_NOARGS, NULL},
    {"_is_closed", is_closed, METH_NOARGS, NULL},
    {"_is_unopened", is_unopened, METH_NOARGS, NULL},
    {"_max_wait", max_wait, METH_NOARGS, NULL},
    {"_never_asks", never_asks, METH_NOARGS, NULL},
    {"last_failure", last_failure, METH_NOARGS,
     "last_failure($self, /)\n--\n\n"
     "Returns why extending the grant last failed, or None after a success."},
    {"stats", stats, METH_NOARGS,
     "stats($self, /)\n--\n\n"
     "Returns the counters of the generator and of all processes that share it."},
    {"available", available, METH_NOARGS,
     "available($self, /)\n--\n\n"
     "Returns how many ids are left in this tick."},
    {"stop", stop, METH_NOARGS,
     "stop($self, /)\n--\n\n"
     "Makes all waiting calls and all later calls fail.  A lazy generator that was not opened yet is closed\n"
     "instead; others that share its spec continue."},
    {"keep", keep_grant, METH_VARARGS,
     "keep($self, timeout=0.0, /)\n--\n\n"
     "Extends the grant if it is due, for keeper=hook.  Returns the seconds after which to call it again.\n"
     "While the coordinator does not answer, the present grant stands and nothing is raised: last_failure()\n"
     "says why."},
    {NULL, NULL, 0, NULL},
};
