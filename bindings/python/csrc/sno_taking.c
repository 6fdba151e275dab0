/* SPDX-License-Identifier: MIT */
/* Taking snos, as bytes or text. */
#include "generator.h"

static int next_sno(struct generator *self, uint8_t meta, frazil_sno *ret)
{
    return take_ids(self, &(struct taking){.ids = ret, .n = 1, .is_sno = true, .meta = meta}, FRAZIL_WAIT_DEFAULT);
}

static int parse_meta(PyObject *args, uint8_t *ret_meta)
{
    *ret_meta = 0;
    return PyTuple_Size(args) == 0 || PyArg_ParseTuple(args, "|O&", to_u8, ret_meta);
}

static PyObject *sno_next(PyObject *self, PyObject *args)
{
    uint8_t meta;
    frazil_sno id;

    if (!parse_meta(args, &meta) || next_sno((struct generator *)self, meta, &id) < 0)
        return NULL;
    return from_sno(&id);
}

static PyObject *sno_next_text(PyObject *self, PyObject *args)
{
    uint8_t meta;
    frazil_sno id;
    char text[FRAZIL_SNO_LEN];

    if (!parse_meta(args, &meta) || next_sno((struct generator *)self, meta, &id) < 0)
        return NULL;
    frazil_sno_encode(&id, text);
    return PyUnicode_FromStringAndSize(text, sizeof text);
}

static PyObject *list_of_snos(const frazil_sno *ids, size_t n)
{
    PyObject *ret = PyList_New(0);

    for (size_t i = 0; ret != NULL && i < n; i++) {
        PyObject *id = from_sno(&ids[i]);
        if (id == NULL || PyList_Append(ret, id) < 0)
            Py_CLEAR(ret);
        Py_XDECREF(id);
        if (i % LIST_PIECE == LIST_PIECE - 1)
            give_others_a_turn();
    }
    return ret;
}

static PyObject *sno_take(PyObject *object, PyObject *args, PyObject *kwargs)
{
    struct generator *self = (struct generator *)object;
    char *names[] = {"n", "meta", "timeout", NULL};
    size_t n;
    uint8_t meta = 0;
    uint64_t wait_ns = FRAZIL_WAIT_DEFAULT;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O&|O&O&", names, to_count, &n, to_u8, &meta, to_wait, &wait_ns))
        return NULL;
    frazil_sno *ids = n > (size_t)PY_SSIZE_T_MAX / sizeof *ids ? NULL : PyMem_Malloc((n == 0 ? 1 : n) * sizeof *ids);
    if (ids == NULL)
        return PyErr_NoMemory();
    PyObject *ret = NULL;
    if (take_ids(self, &(struct taking){.ids = ids, .n = n, .is_sno = true, .meta = meta}, wait_ns) == 0)
        ret = list_of_snos(ids, n);
    PyMem_Free(ids);
    return ret;
}

static PyObject *sno_try_next(PyObject *object, PyObject *args)
{
    struct generator *self = (struct generator *)object;
    uint8_t meta;
    frazil_error error;
    frazil_sno id;
    frazil_err err;

    if (!parse_meta(args, &meta))
        return NULL;
    bool calm = is_calm(self);
    frazil *gen = enter(self);
    if (gen == NULL)
        return NULL;
    if (calm)
        err = frazil_sno_take(gen, meta, &id, 1, 0, &error);
    else {
        Py_BEGIN_ALLOW_THREADS err = frazil_sno_take(gen, meta, &id, 1, 0, &error);
        Py_END_ALLOW_THREADS
    }
    leave(self);
    if (err == FRAZIL_EAGAIN)
        Py_RETURN_NONE;
    return err == FRAZIL_OK ? from_sno(&id) : raise_error(self->state, &error);
}

static PyObject *sno_next_at(PyObject *object, PyObject *args)
{
    struct generator *self = (struct generator *)object;
    int64_t unix_ms;
    uint8_t meta = 0;
    frazil_sno id;
    frazil_error error;

    if (!PyArg_ParseTuple(args, "O&|O&", to_i64, &unix_ms, to_u8, &meta))
        return NULL;
    frazil *gen = enter(self);
    if (gen == NULL)
        return NULL;
    frazil_err err = frazil_sno_next_at(gen, unix_ms, meta, &id, &error);
    leave(self);
    return err == FRAZIL_OK ? from_sno(&id) : raise_error(self->state, &error);
}

static PyObject *sno_snapshot(PyObject *object, PyObject *ignored)
{
    struct generator *self = (struct generator *)object;
    char text[FRAZIL_SNO_SNAPSHOT_SIZE];
    frazil *gen = enter(self);

    (void)ignored;
    if (gen == NULL)
        return NULL;
    frazil_err err = frazil_sno_snapshot(gen, text, sizeof text, NULL);
    leave(self);
    return err == FRAZIL_OK ? PyUnicode_FromString(text) : raise_code(self->state, err);
}

PyMethodDef sno_methods[] = {
    {"sno_next", sno_next, METH_VARARGS,
     "sno_next($self, meta=0, /)\n--\n\n"
     "Returns one sno with a metabyte."},
    {"sno_next_text", sno_next_text, METH_VARARGS,
     "sno_next_text($self, meta=0, /)\n--\n\n"
     "Returns one sno as its 16 characters."},
    {"sno_try_next", sno_try_next, METH_VARARGS,
     "sno_try_next($self, meta=0, /)\n--\n\n"
     "Returns one sno without waiting, or None if none is free now."},
    {"sno_next_at", sno_next_at, METH_VARARGS,
     "sno_next_at($self, unix_ms, meta=0, /)\n--\n\n"
     "Returns a sno for a given time."},
    {"sno_take", (PyCFunction)(void (*)(void))sno_take, METH_VARARGS | METH_KEYWORDS,
     "sno_take($self, /, n, meta=0, timeout=...)\n--\n\n"
     "Returns exactly n increasing snos."},
    {"sno_snapshot", sno_snapshot, METH_NOARGS,
     "sno_snapshot($self, /)\n--\n\n"
     "Returns the state of a sno generator as sno's own JSON."},
    {NULL, NULL, 0, NULL},
};
