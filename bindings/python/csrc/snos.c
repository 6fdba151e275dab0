/* SPDX-License-Identifier: MIT */
/* Snos: ten bytes each.  Pure functions. */
#include "internal.h"

static PyObject *sno_compose(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    frazil_sno_fields fields = {.unix_ms = 0};
    frazil_sno id;
    frazil_error error;

    if (!PyArg_ParseTuple(args, "O&O&O&O&O&", to_i64, &fields.unix_ms, to_u8, &fields.ticktock, to_u8, &fields.meta,
                          to_u16, &fields.partition, to_u16, &fields.sequence))
        return NULL;
    if (frazil_sno_compose(&fields, &id, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    return from_sno(&id);
}

static PyObject *sno_decompose(PyObject *module, PyObject *object)
{
    frazil_sno id;
    frazil_sno_fields fields;

    (void)module;
    if (!to_sno(object, &id))
        return NULL;
    frazil_sno_decompose(&id, &fields);
    return Py_BuildValue("(Liiii)", (long long)fields.unix_ms, (int)fields.ticktock, (int)fields.meta,
                         (int)fields.partition, (int)fields.sequence);
}

static PyObject *sno_encode(PyObject *module, PyObject *object)
{
    frazil_sno id;
    char text[FRAZIL_SNO_LEN];

    (void)module;
    if (!to_sno(object, &id))
        return NULL;
    frazil_sno_encode(&id, text);
    return PyUnicode_FromStringAndSize(text, sizeof text);
}

/* The sno that a text stands for. */
static PyObject *read_text(PyObject *module, PyObject *args,
                           frazil_err (*read)(const char *text, size_t len, frazil_sno *ret, frazil_error *reterr))
{
    const struct state *state = PyModule_GetState(module);
    const char *text;
    Py_ssize_t len;
    frazil_sno id;
    frazil_error error;

    if (!PyArg_ParseTuple(args, "s#", &text, &len))
        return NULL;
    if (read(text, (size_t)len, &id, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    return from_sno(&id);
}

/* A sno as a text, which may have FRAZIL_UUID_LEN characters. */
static PyObject *write_text(PyObject *module, PyObject *object,
                            frazil_err (*write)(const frazil_sno *id, char *buf, size_t size, size_t *ret_len))
{
    const struct state *state = PyModule_GetState(module);
    frazil_sno id;
    char text[FRAZIL_UUID_LEN + 1];

    if (!to_sno(object, &id))
        return NULL;
    frazil_err err = write(&id, text, sizeof text, NULL);
    return err == FRAZIL_OK ? PyUnicode_FromString(text) : raise_code(state, err);
}

static PyObject *sno_decode(PyObject *module, PyObject *args)
{
    return read_text(module, args, frazil_sno_decode);
}

static PyObject *sno_range(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    int64_t from, to;
    frazil_sno first, last;
    frazil_error error;

    if (!PyArg_ParseTuple(args, "O&O&", to_i64, &from, to_i64, &to))
        return NULL;
    if (frazil_sno_range(from, to, &first, &last, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    return Py_BuildValue("(NN)", from_sno(&first), from_sno(&last));
}

static PyObject *partition_format(PyObject *module, PyObject *object)
{
    const struct state *state = PyModule_GetState(module);
    uint16_t partition;
    char text[FRAZIL_SNO_PARTITION_SIZE];

    if (!to_u16(object, &partition))
        return NULL;
    frazil_err err = frazil_sno_partition_format(partition, text, sizeof text, NULL);
    return err == FRAZIL_OK ? PyUnicode_FromString(text) : raise_code(state, err);
}

static PyObject *partition_parse(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    const char *text;
    Py_ssize_t len;
    uint16_t partition;
    frazil_error error;

    if (!PyArg_ParseTuple(args, "s#", &text, &len))
        return NULL;
    if (frazil_sno_partition_parse(text, (size_t)len, &partition, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    return PyLong_FromUnsignedLongLong(partition);
}

static PyObject *uuid_write(PyObject *module, PyObject *object)
{
    frazil_sno id;
    uint8_t uuid[FRAZIL_UUID_SIZE];

    (void)module;
    if (!to_sno(object, &id))
        return NULL;
    frazil_sno_to_uuid(&id, uuid);
    return PyBytes_FromStringAndSize((const char *)uuid, sizeof uuid);
}

static PyObject *uuid_read(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    const char *bytes;
    Py_ssize_t len;
    frazil_sno id;
    frazil_error error;

    if (!PyArg_ParseTuple(args, "y#", &bytes, &len))
        return NULL;
    if (frazil_sno_from_uuid(bytes, (size_t)len, &id, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    return from_sno(&id);
}

static PyObject *uuid_format(PyObject *module, PyObject *object)
{
    return write_text(module, object, frazil_sno_uuid_format);
}

static PyObject *uuid_parse(PyObject *module, PyObject *args)
{
    return read_text(module, args, frazil_sno_uuid_parse);
}

static PyObject *sno_to_json(PyObject *module, PyObject *object)
{
    return write_text(module, object, frazil_sno_to_json);
}

static PyObject *sno_from_json(PyObject *module, PyObject *args)
{
    return read_text(module, args, frazil_sno_from_json);
}

static PyObject *sno_from_column(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    const char *data;
    Py_ssize_t len;
    frazil_sno id;
    frazil_error error;

    if (!PyArg_ParseTuple(args, "s#", &data, &len))
        return NULL;
    if (frazil_sno_from_column(data, (size_t)len, &id, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    return from_sno(&id);
}

PyMethodDef sno_functions[] = {
    {"sno_compose", sno_compose, METH_VARARGS, NULL},
    {"sno_decompose", sno_decompose, METH_O, NULL},
    {"sno_encode", sno_encode, METH_O, NULL},
    {"sno_decode", sno_decode, METH_VARARGS, NULL},
    {"sno_range", sno_range, METH_VARARGS, NULL},
    {"partition_format", partition_format, METH_O, NULL},
    {"partition_parse", partition_parse, METH_VARARGS, NULL},
    {"uuid_write", uuid_write, METH_O, NULL},
    {"uuid_read", uuid_read, METH_VARARGS, NULL},
    {"uuid_format", uuid_format, METH_O, NULL},
    {"uuid_parse", uuid_parse, METH_VARARGS, NULL},
    {"sno_to_json", sno_to_json, METH_O, NULL},
    {"sno_from_json", sno_from_json, METH_VARARGS, NULL},
    {"sno_from_column", sno_from_column, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
