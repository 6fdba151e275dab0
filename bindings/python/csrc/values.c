/* SPDX-License-Identifier: MIT */
/* Python's values become C's and back.  Values that do not fit are refused, never cut. */
#include "internal.h"

#include <math.h>
#include <string.h>

static int to_unsigned(PyObject *object, unsigned long long most, const char *name, unsigned long long *ret)
{
    PyObject *number = PyNumber_Index(object);

    if (number == NULL)
        return 0;
    *ret = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    if (PyErr_Occurred() == NULL && *ret <= most)
        return 1;
    if (PyErr_Occurred() == NULL || PyErr_ExceptionMatches(PyExc_OverflowError))
        (void)PyErr_Format(PyExc_OverflowError, "%R is not a whole number of %s bits, from 0 on", object, name);
    return 0;
}

int to_u64(PyObject *object, void *ret_u64)
{
    unsigned long long value;
    int good = to_unsigned(object, UINT64_MAX, "64", &value);

    if (good)
        *(uint64_t *)ret_u64 = (uint64_t)value;
    return good;
}

int to_u32(PyObject *object, void *ret_u32)
{
    unsigned long long value;
    int good = to_unsigned(object, UINT32_MAX, "32", &value);

    if (good)
        *(uint32_t *)ret_u32 = (uint32_t)value;
    return good;
}

int to_u16(PyObject *object, void *ret_u16)
{
    unsigned long long value;
    int good = to_unsigned(object, UINT16_MAX, "16", &value);

    if (good)
        *(uint16_t *)ret_u16 = (uint16_t)value;
    return good;
}

int to_u8(PyObject *object, void *ret_u8)
{
    unsigned long long value;
    int good = to_unsigned(object, UINT8_MAX, "8", &value);

    if (good)
        *(uint8_t *)ret_u8 = (uint8_t)value;
    return good;
}

int to_i64(PyObject *object, void *ret_i64)
{
    PyObject *number = PyNumber_Index(object);

    if (number == NULL)
        return 0;
    long long value = PyLong_AsLongLong(number);
    Py_DECREF(number);
    if (value == -1 && PyErr_Occurred() != NULL)
        return 0;
    *(int64_t *)ret_i64 = (int64_t)value;
    return 1;
}

int to_count(PyObject *object, void *ret_size)
{
    unsigned long long value;
    int good = to_unsigned(object, PY_SSIZE_T_MAX / sizeof(uint64_t), "60", &value);

    if (good)
        *(size_t *)ret_size = (size_t)value;
    return good;
}

/* Seconds, or a timedelta.  -1 with an exception set, or without one, if the number is -1. */
static double to_seconds(PyObject *object)
{
    if (!PyObject_HasAttrString(object, "total_seconds"))
        return PyFloat_AsDouble(object);
    PyObject *number = PyObject_CallMethod(object, "total_seconds", NULL);
    double seconds = number == NULL ? -1.0 : PyFloat_AsDouble(number);
    Py_XDECREF(number);
    return seconds;
}

int to_wait(PyObject *object, void *ret_ns)
{
    uint64_t *ret = ret_ns;

    if (object == Py_Ellipsis || object == Py_None) {
        *ret = object == Py_None ? FRAZIL_WAIT_FOREVER : FRAZIL_WAIT_DEFAULT;
        return 1;
    }
    double seconds = to_seconds(object);
    if (seconds == -1.0 && PyErr_Occurred() != NULL)
        return 0;
    if (isnan(seconds) || seconds < 0) {
        (void)PyErr_Format(PyExc_ValueError, "a timeout is a number of seconds from 0 on, a timedelta, or None, not %R",
                           object);
        return 0;
    }
    /* Longer than 292 years is no bound. */
    *ret = seconds >= 9.2e9 ? FRAZIL_WAIT_FOREVER : (uint64_t)(seconds * 1e9);
    return 1;
}

int to_sno(PyObject *object, void *ret_sno)
{
    frazil_sno *ret = ret_sno;
    char *bytes;
    Py_ssize_t len;

    if (PyBytes_AsStringAndSize(object, &bytes, &len) < 0)
        return 0;
    if (len != FRAZIL_SNO_SIZE) {
        (void)PyErr_Format(PyExc_ValueError, "a sno has %d bytes, not %zd", FRAZIL_SNO_SIZE, len);
        return 0;
    }
    memcpy(ret->bytes, bytes, sizeof ret->bytes);
    return 1;
}

int form_named(const struct state *state, const char *name, frazil_text *ret)
{
    frazil_error error;

    if (frazil_text_by_name(name, ret, &error) == FRAZIL_OK)
        return 0;
    (void)raise_error(state, &error);
    return -1;
}

PyObject *from_sno(const frazil_sno *id)
{
    return PyBytes_FromStringAndSize((const char *)id->bytes, FRAZIL_SNO_SIZE);
}

/* ---- capsules ------------------------------------------------------------------ */

static const char layout_name[] = "frazil._frazil.layout";
static const char clock_name[] = "frazil._frazil.clock";

static void free_layout(PyObject *capsule)
{
    PyMem_Free(PyCapsule_GetPointer(capsule, layout_name));
}

PyObject *layout_capsule(const frazil_layout *layout)
{
    frazil_layout *copy = PyMem_Malloc(sizeof *copy);

    if (copy == NULL)
        return PyErr_NoMemory();
    *copy = *layout;
    PyObject *ret = PyCapsule_New(copy, layout_name, free_layout);
    if (ret == NULL)
        PyMem_Free(copy);
    return ret;
}

const frazil_layout *layout_in(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, layout_name);
}

static void free_clock(PyObject *capsule)
{
    frazil_manual_clock_close(PyCapsule_GetPointer(capsule, clock_name));
}

frazil_manual_clock *clock_in(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, clock_name);
}

static PyObject *clock_new(PyObject *module, PyObject *args)
{
    struct state *state = PyModule_GetState(module);
    int64_t unix_ms;
    int frozen;
    frazil_manual_clock *clock;
    frazil_error error;

    if (!PyArg_ParseTuple(args, "O&p", to_i64, &unix_ms, &frozen))
        return NULL;
    if (frazil_manual_clock_open(&clock, unix_ms, frozen ? FRAZIL_CLOCK_FROZEN : 0, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    PyObject *ret = PyCapsule_New(clock, clock_name, free_clock);
    if (ret == NULL)
        frazil_manual_clock_close(clock);
    else if (frozen && PyCapsule_SetContext(ret, clock) < 0) /* where it is not NULL, the clock is a frozen one */
        Py_CLEAR(ret);
    return ret;
}

static PyObject *clock_set(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    int64_t unix_ms;

    (void)module;
    if (!PyArg_ParseTuple(args, "OO&", &capsule, to_i64, &unix_ms))
        return NULL;
    frazil_manual_clock *clock = clock_in(capsule);
    if (clock == NULL)
        return NULL;
    frazil_manual_clock_set(clock, unix_ms);
    Py_RETURN_NONE;
}

static PyObject *clock_advance(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    uint64_t ns;

    (void)module;
    if (!PyArg_ParseTuple(args, "OO&", &capsule, to_u64, &ns))
        return NULL;
    frazil_manual_clock *clock = clock_in(capsule);
    if (clock == NULL)
        return NULL;
    frazil_manual_clock_advance(clock, ns);
    Py_RETURN_NONE;
}

PyMethodDef clock_functions[] = {
    {"clock_new", clock_new, METH_VARARGS, NULL},
    {"clock_set", clock_set, METH_VARARGS, NULL},
    {"clock_advance", clock_advance, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
