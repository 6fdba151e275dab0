/* SPDX-License-Identifier: MIT */
/* Taking ids: at once with the GIL, else without it. */
#include "generator.h"

#include <string.h>
#include <time.h>

/* So few cost less than 10 us.  A call for more lets the GIL go first. */
enum { HELD_MOST = 4096 };

/* ---- taking ------------------------------------------------------------------------------ */

static frazil_err take(frazil *gen, const struct taking *taking, uint64_t wait_ns, frazil_error *error)
{
    return taking->is_sno ? frazil_sno_take(gen, taking->meta, taking->ids, taking->n, wait_ns, error)
                          : frazil_take(gen, taking->ids, taking->n, wait_ns, error);
}

static uint64_t monotonic_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/*
 * As long as a call of frazil may be at it: a piece, and where each asks a server as long as that may take to answer,
 * because the end of a call cuts its request off; for more ids than a tick has, also twice what these need.
 */
static uint64_t longest_wait(const struct generator *self, size_t n, uint64_t whole_ns)
{
    const uint64_t minute_ns = 60000000000; /* of a clock that stands: some ms */

    if (self->own_time)
        return self->is_frozen && whole_ns == FRAZIL_WAIT_FOREVER ? minute_ns : FRAZIL_WAIT_FOREVER;
    uint64_t shortest_ns = PIECE_NS + self->request_ns;
    uint64_t ticks = n / self->capacity;
    uint64_t most = (FRAZIL_WAIT_FOREVER - 1 - shortest_ns) / 2 / self->tick_ns;
    return shortest_ns + 2 * self->tick_ns * least(ticks, most);
}

static void nap(uint64_t ns)
{
    const struct timespec pause = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};

    Py_BEGIN_ALLOW_THREADS(void) nanosleep(&pause, NULL);
    Py_END_ALLOW_THREADS
}

/* How long a call may wait, by that word of its caller's. */
static uint64_t whole_wait(const struct generator *self, uint64_t wait_ns)
{
    return wait_ns == FRAZIL_WAIT_DEFAULT ? self->max_wait_ns : wait_ns;
}

/* How long a call may still wait.  At the end it is one nanosecond: with none, a call is one that never waits. */
static uint64_t left_of(uint64_t wait_ns, uint64_t begun_ns)
{
    if (wait_ns == FRAZIL_WAIT_FOREVER || wait_ns == 0)
        return wait_ns;
    uint64_t passed_ns = monotonic_ns() - begun_ns;
    return passed_ns < wait_ns ? wait_ns - passed_ns : 1;
}

/* Between two pieces of a wait.  -1: a signal handler has raised. */
static int rest(const struct state *state, uint64_t retry_ns, uint64_t left_ns)
{
    const uint64_t shortest_ns = 1000000;
    uint64_t ns = least(least(retry_ns / 2, PIECE_NS), left_ns);

    nap(ns > shortest_ns ? ns : shortest_ns);
    return check_signals(state);
}

/* Without a wait these two are the errors of a policy, which no wait mends. */
static bool is_last_word(frazil_err err)
{
    return err == FRAZIL_EFULL || err == FRAZIL_ECLOCK;
}

/*
 * Whether the whole wait would have ended with the error of a piece of it, of which left_ns were not used.  The library
 * gives up early where no wait helps, and where it is longer than a piece; an extension of the grant goes on after it.
 */
static bool ends_whole(const struct generator *self, const frazil_error *error, uint64_t left_ns)
{
    if (error->err_class == FRAZIL_CLASS_FENCED)
        return left_ns > 0;
    if (error->err_class != FRAZIL_CLASS_RETRY)
        return true;
    return self->asking == ASKING_ALWAYS &&
           ((error->code == FRAZIL_EFULL && self->full_is_error) ||
            (error->code == FRAZIL_ECLOCK && self->backward_is_error) || error->retry_ns < left_ns);
}

/*
 * One piece of a wait.  Before each but the last it looks, because an error of a policy is not told from a wait that is
 * too short by a call that may wait; but not where looking would ask a server, which takes its time.  *last: another
 * piece would be of no use.
 */
static frazil_err take_piece(const struct generator *self, frazil *gen, const struct taking *taking, uint64_t asked_ns,
                             uint64_t left_ns, bool *last, frazil_error *error)
{
    bool looks = !*last && self->asking != ASKING_ALWAYS;
    uint64_t begun_ns = monotonic_ns();
    frazil_err err = looks ? take(gen, taking, 0, error) : FRAZIL_EAGAIN;

    if (err == FRAZIL_OK)
        return err;
    bool later = looks && err == FRAZIL_EAGAIN && error->retry_ns > asked_ns && error->retry_ns <= left_ns;
    *last = *last || is_last_word(err);
    if (later)
        return err;
    err = take(gen, taking, asked_ns, error);
    uint64_t passed_ns = monotonic_ns() - begun_ns;
    if (err != FRAZIL_OK)
        *last = *last || ends_whole(self, error, passed_ns < asked_ns ? asked_ns - passed_ns : 0);
    return err;
}

/* Waits without the GIL.  -1 with an exception set. */
static int take_waiting(struct generator *self, const struct taking *taking, uint64_t wait_ns)
{
    uint64_t begun_ns = monotonic_ns();
    uint64_t whole_ns = whole_wait(self, wait_ns);
    uint64_t longest_ns = longest_wait(self, taking->n, whole_ns);
    frazil_error error;
    frazil_err err;

    for (;;) {
        uint64_t left_ns = left_of(whole_ns, begun_ns);
        bool last = left_ns <= longest_ns;
        /* Without pieces the library's own word for max_wait is right: of 0 it makes another error than of "never". */
        uint64_t asked_ns = whole_ns <= longest_ns ? wait_ns : least(left_ns, longest_ns);
        frazil *gen = enter(self);
        if (gen == NULL)
            return -1;
        Py_BEGIN_ALLOW_THREADS err = take_piece(self, gen, taking, asked_ns, left_ns, &last, &error);
        Py_END_ALLOW_THREADS leave(self);
        if (err == FRAZIL_OK)
            return 0;
        if (last || error.retry_ns > left_ns)
            break;
        if (rest(self->state, error.retry_ns, left_ns) < 0)
            return -1;
    }
    (void)raise_error(self->state, &error);
    return -1;
}

/* A first try with the GIL held never waits.  It is the call itself where no wait is allowed; else the call follows. */
int take_ids(struct generator *self, const struct taking *taking, uint64_t wait_ns)
{
    if (ensure_open(self) < 0)
        return -1;
    uint64_t whole_ns = whole_wait(self, wait_ns);

    if (taking->n <= HELD_MOST && is_calm(self)) {
        frazil *gen = hold(self);
        if (gen != NULL) {
            frazil_error error;
            frazil_err err = take(gen, taking, whole_ns == 0 ? wait_ns : 0, &error);
            let_go(self);
            if (err == FRAZIL_OK)
                return 0;
            if (whole_ns == 0) {
                (void)raise_error(self->state, &error);
                return -1;
            }
        }
    }
    return take_waiting(self, taking, wait_ns);
}

/* ---- one id --------------------------------------------------------------------------------- */

static int next_id(struct generator *self, uint64_t *ret_id)
{
    return take_ids(self, &(struct taking){.ids = ret_id, .n = 1}, FRAZIL_WAIT_DEFAULT);
}

PyObject *generator_next(PyObject *self, PyObject *ignored)
{
    uint64_t id;

    (void)ignored;
    return LIKELY(next_id((struct generator *)self, &id) == 0) ? PyLong_FromUnsignedLongLong(id) : NULL;
}

static PyObject *next_text(PyObject *self, PyObject *args)
{
    uint64_t id;
    frazil_text form = FRAZIL_TEXT_DEC;
    char text[FRAZIL_TEXT_SIZE];
    size_t len;
    const char *name = NULL;

    if (PyTuple_Size(args) != 0 && !PyArg_ParseTuple(args, "s", &name))
        return NULL;
    if (name != NULL && form_named(((struct generator *)self)->state, name, &form) < 0)
        return NULL;
    if (next_id((struct generator *)self, &id) < 0)
        return NULL;
    frazil_err err = frazil_id_format(form, id, text, sizeof text, &len);
    if (err != FRAZIL_OK)
        return raise_code(((struct generator *)self)->state, err);
    return PyUnicode_FromStringAndSize(text, (Py_ssize_t)len);
}

/* Whether an error only says that none is free now. */
static bool is_none_free(frazil_err err)
{
    return err == FRAZIL_EAGAIN;
}

static PyObject *try_next(PyObject *object, PyObject *ignored)
{
    struct generator *self = (struct generator *)object;
    frazil_error error;
    uint64_t id;
    frazil_err err;

    (void)ignored;
    if (is_calm(self)) {
        frazil *gen = hold(self);
        if (gen == NULL)
            return raise_closed(self);
        err = frazil_take(gen, &id, 1, 0, &error);
        let_go(self);
    } else {
        frazil *gen = enter(self);
        if (gen == NULL)
            return NULL;
        Py_BEGIN_ALLOW_THREADS err = frazil_take(gen, &id, 1, 0, &error);
        Py_END_ALLOW_THREADS leave(self);
    }
    if (err == FRAZIL_OK)
        return PyLong_FromUnsignedLongLong(id);
    if (is_none_free(err))
        Py_RETURN_NONE;
    return raise_error(self->state, &error);
}

static PyObject *next_at(PyObject *object, PyObject *when)
{
    struct generator *self = (struct generator *)object;
    int64_t unix_ms;
    uint64_t id;
    frazil_error error;

    if (!to_i64(when, &unix_ms))
        return NULL;
    frazil *gen = enter(self);
    if (gen == NULL)
        return NULL;
    frazil_err err = frazil_next_at(gen, unix_ms, &id, &error);
    leave(self);
    return err == FRAZIL_OK ? PyLong_FromUnsignedLongLong(id) : raise_error(self->state, &error);
}

/* ---- several --------------------------------------------------------------------------------- */

static PyObject *list_piece(const uint64_t *ids, size_t n)
{
    PyObject *ret = PyList_New((Py_ssize_t)n);

    for (size_t i = 0; ret != NULL && i < n; i++) {
        PyObject *id = PyLong_FromUnsignedLongLong(ids[i]);
        if (id == NULL || PyList_SetItem(ret, (Py_ssize_t)i, id) < 0)
            Py_CLEAR(ret);
    }
    return ret;
}

static PyObject *list_of(const uint64_t *ids, size_t n)
{
    PyObject *ret = list_piece(ids, n < LIST_PIECE ? n : LIST_PIECE);

    for (size_t at = LIST_PIECE; ret != NULL && at < n; at += LIST_PIECE) {
        PyObject *piece = list_piece(ids + at, n - at < LIST_PIECE ? n - at : LIST_PIECE);
        if (piece == NULL || PyList_SetSlice(ret, (Py_ssize_t)at, (Py_ssize_t)at, piece) < 0)
            Py_CLEAR(ret);
        Py_XDECREF(piece);
        give_others_a_turn();
    }
    return ret;
}

static PyObject *take_list(struct generator *self, size_t n, uint64_t wait_ns)
{
    enum { FEW = 256 };
    uint64_t few[FEW];
    uint64_t *ids = n <= FEW ? few : PyMem_Malloc(n * sizeof *ids);
    PyObject *ret = NULL;

    if (ids == NULL)
        return PyErr_NoMemory();
    if (take_ids(self, &(struct taking){.ids = ids, .n = n}, wait_ns) == 0)
        ret = list_of(ids, n);
    if (ids != few)
        PyMem_Free(ids);
    return ret;
}

static PyObject *next_n(PyObject *self, PyObject *count)
{
    size_t n;

    return to_count(count, &n) ? take_list((struct generator *)self, n, FRAZIL_WAIT_DEFAULT) : NULL;
}

static PyObject *take_method(PyObject *self, PyObject *args, PyObject *kwargs)
{
    char *names[] = {"n", "timeout", NULL};
    size_t n;
    uint64_t wait_ns = FRAZIL_WAIT_DEFAULT;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O&|O&", names, to_count, &n, to_wait, &wait_ns))
        return NULL;
    return take_list((struct generator *)self, n, wait_ns);
}

/* The ids that are free now, at most n, and after how many ns to come back. */
static PyObject *try_take(PyObject *object, PyObject *count)
{
    struct generator *self = (struct generator *)object;
    size_t n, taken;
    uint64_t retry_ns;

    if (!to_count(count, &n))
        return NULL;
    uint64_t *ids = PyMem_Malloc((n == 0 ? 1 : n) * sizeof *ids);
    if (ids == NULL)
        return PyErr_NoMemory();
    frazil *gen = enter(self);
    if (gen == NULL) {
        PyMem_Free(ids);
        return NULL;
    }
    frazil_error error;
    frazil_err err;
    Py_BEGIN_ALLOW_THREADS err = frazil_try_take(gen, ids, n, &taken, &retry_ns, &error);
    Py_END_ALLOW_THREADS leave(self);
    PyObject *ret = NULL;
    if (err == FRAZIL_OK || is_none_free(err))
        ret = Py_BuildValue("(NK)", list_of(ids, taken), (unsigned long long)retry_ns);
    else
        (void)raise_error(self->state, &error);
    PyMem_Free(ids);
    return ret;
}

/* ---- into a buffer ----------------------------------------------------------------------------- */

/* Of the stable ABI for ever, although newer headers have it no more; the buffer's own functions are only from 3.11 on.
 */
PyAPI_FUNC(int) PyObject_AsWriteBuffer(PyObject *object, void **ret, Py_ssize_t *ret_len);

/* The items of a buffer by its format: 'Q' for unsigned and 'q' for signed integers of 8 bytes, 0 for others. */
static char item_kind(PyObject *view)
{
    PyObject *format = PyObject_GetAttrString(view, "format");
    char kind = 0;

    if (format == NULL)
        return 0;
    PyObject *bytes = PyUnicode_AsUTF8String(format);
    const char *text = bytes == NULL ? NULL : PyBytes_AsString(bytes);
    if (text != NULL) {
        bool is_standard = *text == '='; /* sizes that are the same everywhere: a long has 4 bytes */
        text += is_standard || *text == '@';
        const char *kinds = !is_standard && sizeof(long) == 8 ? "QLNqln" : "Qq";
        bool is_long = *text != '\0' && text[1] == '\0' && strchr(kinds, *text) != NULL;
        kind = is_long ? (strchr("QLN", *text) != NULL ? 'Q' : 'q') : 0;
    }
    Py_XDECREF(bytes);
    Py_DECREF(format);
    return kind;
}

/* Whether ids of the generator fit such items. */
static int check_items(struct generator *self, char kind)
{
    frazil_info info;
    frazil_layout_info layout;
    frazil *gen = enter(self);

    if (gen == NULL)
        return -1;
    frazil_get_info(gen, &info, sizeof info);
    frazil_layout_get_info(info.layout, &layout, sizeof layout);
    leave(self);
    if (kind == 'Q' || !layout.reaches_sign_bit)
        return 0;
    (void)raise_sentence(self->state, FRAZIL_ERANGE,
                         "ids of this layout do not fit signed 64-bit integers for its whole life: use a buffer of "
                         "unsigned ones, or text");
    return -1;
}

/* Newer headers call this one deprecated, which it is where its object may change: a view does not. */
static int writable_bytes(PyObject *view, void **ret, Py_ssize_t *ret_len)
{
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
    return PyObject_AsWriteBuffer(view, ret, ret_len);
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
}

#ifdef PYPY_VERSION /* there C is given a copy of what some views show: ids go there by Python's own assignments */
static int assign(PyObject *view, const uint64_t *ids, Py_ssize_t n)
{
    int failed = 0;

    for (Py_ssize_t i = 0; i < n && failed == 0; i++) {
        PyObject *id = PyLong_FromUnsignedLongLong(ids[i]);
        failed = id == NULL ? -1 : PySequence_SetItem(view, i, id);
        Py_XDECREF(id);
    }
    return failed;
}

static PyObject *fill_view_of(struct generator *self, PyObject *view)
{
    void *bytes;
    Py_ssize_t len;
    Py_ssize_t n = PySequence_Size(view);
    PyObject *ret = NULL;

    if (n < 0 || writable_bytes(view, &bytes, &len) < 0)
        return NULL;
    uint64_t *ids = PyMem_Malloc((n == 0 ? 1 : (size_t)n) * sizeof *ids);
    if (ids == NULL)
        return PyErr_NoMemory();
    if (take_ids(self, &(struct taking){.ids = ids, .n = (size_t)n}, FRAZIL_WAIT_DEFAULT) == 0 &&
        assign(view, ids, n) == 0)
        ret = PyLong_FromSsize_t(n);
    PyMem_Free(ids);
    return ret;
}
#else
static PyObject *fill_view_of(struct generator *self, PyObject *view)
{
    void *ids;
    Py_ssize_t len;

    if (writable_bytes(view, &ids, &len) < 0)
        return NULL;
    if (len > 0 && (uintptr_t)ids % _Alignof(uint64_t) != 0) /* an empty array lies anywhere */
        return PyErr_Format(PyExc_ValueError, "fill() needs a buffer that begins at a multiple of %d bytes",
                            (int)_Alignof(uint64_t));
    size_t n = (size_t)len / sizeof(uint64_t);
    if (take_ids(self, &(struct taking){.ids = ids, .n = n}, FRAZIL_WAIT_DEFAULT) < 0)
        return NULL;
    return PyLong_FromSize_t(n);
}
#endif

static PyObject *fill_view(struct generator *self, PyObject *view)
{
    char kind = item_kind(view);

    if (kind == 0) {
        if (PyErr_Occurred() == NULL)
            PyErr_SetString(PyExc_TypeError,
                            "fill() needs a writable buffer of 64-bit integers in the machine's order, "
                            "such as array('Q') or numpy's uint64");
        return NULL;
    }
    return check_items(self, kind) < 0 ? NULL : fill_view_of(self, view);
}

static PyObject *fill(PyObject *self, PyObject *buffer)
{
    /* As long as the view is there, nobody can resize or free what it shows. */
    PyObject *view = PyMemoryView_FromObject(buffer);

    if (view == NULL)
        return NULL;
    PyObject *ret = fill_view((struct generator *)self, view);
    Py_DECREF(view);
    return ret;
}

PyMethodDef taking_methods[] = {
    {"next", generator_next, METH_NOARGS,
     "next($self, /)\n--\n\n"
     "Returns one id.  It waits at most as long as the spec's max_wait allows, without the GIL."},
    {"next_text", next_text, METH_VARARGS,
     "next_text($self, form='dec', /)\n--\n\n"
     "Returns one id in one of the text forms, frazil.TEXT_FORMS."},
    {"try_next", try_next, METH_NOARGS,
     "try_next($self, /)\n--\n\n"
     "Returns one id without waiting, or None if none is free now."},
    {"next_at", next_at, METH_O,
     "next_at($self, unix_ms, /)\n--\n\n"
     "Returns an id for a given time, to import old records."},
    {"next_n", next_n, METH_O,
     "next_n($self, n, /)\n--\n\n"
     "Returns exactly n increasing ids, or raises and takes none."},
    {"take", (PyCFunction)(void (*)(void))take_method, METH_VARARGS | METH_KEYWORDS,
     "take($self, /, n, timeout=...)\n--\n\n"
     "Returns n ids as next_n() does, but waits at most `timeout`: 0 never waits, None has no limit."},
    {"try_take", try_take, METH_O,
     "try_take($self, n, /)\n--\n\n"
     "Returns the ids that are free now, at most n, and the nanoseconds after which to retry."},
    {"fill", fill, METH_O,
     "fill($self, buffer, /)\n--\n\n"
     "Fills a writable buffer of 64-bit integers, such as array('Q'), with increasing ids.  Returns how many."},
    {NULL, NULL, 0, NULL},
};
