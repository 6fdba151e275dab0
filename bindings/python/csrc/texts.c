/* SPDX-License-Identifier: MIT */
/* Ids as text and bytes, shards, hashed worker numbers, kasumi, instants.  Pure but for a new salt. */
#include "internal.h"

static PyObject *text_forms(PyObject *module, PyObject *ignored)
{
    PyObject *ret = PyList_New(0);

    (void)module;
    (void)ignored;
    for (size_t i = 0; ret != NULL && frazil_text_name((frazil_text)i) != NULL; i++) {
        PyObject *name = PyUnicode_FromString(frazil_text_name((frazil_text)i));
        if (name == NULL || PyList_Append(ret, name) < 0)
            Py_CLEAR(ret);
        Py_XDECREF(name);
    }
    return ret;
}

static PyObject *id_format(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    uint64_t id;
    frazil_text form = FRAZIL_TEXT_DEC;
    char text[FRAZIL_TEXT_SIZE];
    const char *name;
    size_t len;

    if (!PyArg_ParseTuple(args, "O&s", to_u64, &id, &name) || form_named(state, name, &form) < 0)
        return NULL;
    frazil_err err = frazil_id_format(form, id, text, sizeof text, &len);
    if (err != FRAZIL_OK)
        return raise_code(state, err);
    return PyUnicode_FromStringAndSize(text, (Py_ssize_t)len);
}

static PyObject *id_parse(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    const char *text;
    Py_ssize_t len;
    const char *name;
    frazil_text form = FRAZIL_TEXT_DEC;
    uint64_t id;
    frazil_error error;

    if (!PyArg_ParseTuple(args, "s#s", &text, &len, &name) || form_named(state, name, &form) < 0)
        return NULL;
    if (frazil_id_parse(form, text, (size_t)len, &id, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    return PyLong_FromUnsignedLongLong(id);
}

static PyObject *bytes_write(PyObject *module, PyObject *object)
{
    uint64_t id;
    uint8_t bytes[FRAZIL_BYTES_SIZE];

    (void)module;
    if (!to_u64(object, &id))
        return NULL;
    frazil_bytes_write(id, bytes);
    return PyBytes_FromStringAndSize((const char *)bytes, sizeof bytes);
}

static PyObject *bytes_read(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    const char *bytes;
    Py_ssize_t len;
    uint64_t id;
    frazil_error error;

    if (!PyArg_ParseTuple(args, "y#", &bytes, &len))
        return NULL;
    if (frazil_bytes_read(bytes, (size_t)len, &id, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    return PyLong_FromUnsignedLongLong(id);
}

static PyObject *shard(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    uint64_t id;
    uint32_t shards, found;

    if (!PyArg_ParseTuple(args, "O&O&", to_u64, &id, to_u32, &shards))
        return NULL;
    frazil_err err = frazil_shard(id, shards, &found);
    return err == FRAZIL_OK ? PyLong_FromUnsignedLongLong(found) : raise_code(state, err);
}

static PyObject *worker_hash(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    const char *text;
    Py_ssize_t len;
    uint32_t workers, found;

    if (!PyArg_ParseTuple(args, "s#O&", &text, &len, to_u32, &workers))
        return NULL;
    frazil_err err = frazil_worker_hash(text, (size_t)len, workers, &found);
    return err == FRAZIL_OK ? PyLong_FromUnsignedLongLong(found) : raise_code(state, err);
}

static PyObject *worker_collision(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    uint32_t hosts, ppm;
    uint64_t workers;

    if (!PyArg_ParseTuple(args, "O&O&", to_u32, &hosts, to_u64, &workers))
        return NULL;
    frazil_err err = frazil_worker_collision(hosts, workers, &ppm);
    return err == FRAZIL_OK ? PyLong_FromUnsignedLongLong(ppm) : raise_code(state, err);
}

static PyObject *salt_new(PyObject *module, PyObject *ignored)
{
    const struct state *state = PyModule_GetState(module);
    uint64_t salt;
    frazil_error error;

    (void)ignored;
    if (frazil_salt_new(NULL, &salt, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    return PyLong_FromUnsignedLongLong(salt);
}

static PyObject *kasumi(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    uint64_t salt, id, found;

    if (!PyArg_ParseTuple(args, "O&O&", to_u64, &salt, to_u64, &id))
        return NULL;
    frazil_err err = frazil_kasumi(salt, id, &found);
    return err == FRAZIL_OK ? PyLong_FromUnsignedLongLong(found) : raise_code(state, err);
}

static PyObject *scramble(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    uint64_t salt, id;
    int checked;
    char text[FRAZIL_KASUMI_CHECKED_LEN + 1];

    if (!PyArg_ParseTuple(args, "O&pO&", to_u64, &salt, &checked, to_u64, &id))
        return NULL;
    frazil_err err = frazil_scramble(salt, checked != 0 ? FRAZIL_KASUMI_CHECKED : 0, id, text, sizeof text, NULL);
    return err == FRAZIL_OK ? PyUnicode_FromString(text) : raise_code(state, err);
}

static PyObject *unscramble(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    uint64_t salt, id;
    int checked;
    const char *text;
    Py_ssize_t len;
    frazil_error error;

    if (!PyArg_ParseTuple(args, "O&ps#", to_u64, &salt, &checked, &text, &len))
        return NULL;
    if (frazil_unscramble(salt, checked != 0 ? FRAZIL_KASUMI_CHECKED : 0, text, (size_t)len, &id, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    return PyLong_FromUnsignedLongLong(id);
}

static PyObject *time_format(PyObject *module, PyObject *object)
{
    const struct state *state = PyModule_GetState(module);
    int64_t unix_ms;
    char text[FRAZIL_TIME_SIZE];

    if (!to_i64(object, &unix_ms))
        return NULL;
    frazil_err err = frazil_time_format(unix_ms, text, sizeof text, NULL);
    return err == FRAZIL_OK ? PyUnicode_FromString(text) : raise_code(state, err);
}

static PyObject *time_parse(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    const char *text;
    Py_ssize_t len;
    int64_t unix_ms;
    frazil_error error;

    if (!PyArg_ParseTuple(args, "s#", &text, &len))
        return NULL;
    if (frazil_time_parse(text, (size_t)len, &unix_ms, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    return PyLong_FromLongLong(unix_ms);
}

PyMethodDef text_functions[] = {
    {"text_forms", text_forms, METH_NOARGS, NULL},
    {"id_format", id_format, METH_VARARGS, NULL},
    {"id_parse", id_parse, METH_VARARGS, NULL},
    {"bytes_write", bytes_write, METH_O, NULL},
    {"bytes_read", bytes_read, METH_VARARGS, NULL},
    {"shard", shard, METH_VARARGS, NULL},
    {"worker_hash", worker_hash, METH_VARARGS, NULL},
    {"worker_collision", worker_collision, METH_VARARGS, NULL},
    {"salt_new", salt_new, METH_NOARGS, NULL},
    {"kasumi", kasumi, METH_VARARGS, NULL},
    {"scramble", scramble, METH_VARARGS, NULL},
    {"unscramble", unscramble, METH_VARARGS, NULL},
    {"time_format", time_format, METH_O, NULL},
    {"time_parse", time_parse, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
