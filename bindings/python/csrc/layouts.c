/* SPDX-License-Identifier: MIT */
/* Layouts: pure functions on a capsule that holds one. */
#include "internal.h"

static PyObject *layout_parse(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    const char *text;
    Py_ssize_t len;
    frazil_layout layout;
    frazil_error error;

    if (!PyArg_ParseTuple(args, "s#", &text, &len))
        return NULL;
    if (frazil_layout_parse(text, (size_t)len, &layout, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    return layout_capsule(&layout);
}

/* A number that no byte holds is too wide for every layout, and so is the widest byte. */
static uint8_t as_width(uint32_t bits)
{
    return bits < UINT8_MAX ? (uint8_t)bits : UINT8_MAX;
}

static PyObject *layout_make(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    int64_t epoch;
    uint32_t tick, time_bits, worker_bits, datacenter_bits, sequence_bits;
    int above;
    frazil_error error;

    if (!PyArg_ParseTuple(args, "O&O&O&O&O&O&p", to_i64, &epoch, to_u32, &tick, to_u32, &time_bits, to_u32,
                          &worker_bits, to_u32, &datacenter_bits, to_u32, &sequence_bits, &above))
        return NULL;
    const frazil_layout layout = {.name = "custom",
                                  .epoch_unix_ms = epoch,
                                  .kind = FRAZIL_LAYOUT_64,
                                  .tick_ms = tick,
                                  .time_bits = as_width(time_bits),
                                  .worker_bits = as_width(worker_bits),
                                  .datacenter_bits = as_width(datacenter_bits),
                                  .sequence_bits = as_width(sequence_bits),
                                  .sequence_above_worker = above != 0};
    if (frazil_layout_validate(&layout, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    return layout_capsule(&layout);
}

static PyObject *layout_presets(PyObject *module, PyObject *ignored)
{
    PyObject *ret = PyList_New(0);

    (void)module;
    (void)ignored;
    for (size_t i = 0; ret != NULL && frazil_layout_preset(i) != NULL; i++) {
        PyObject *name = PyUnicode_FromString(frazil_layout_preset(i)->name);
        if (name == NULL || PyList_Append(ret, name) < 0)
            Py_CLEAR(ret);
        Py_XDECREF(name);
    }
    return ret;
}

/* name, is it sno, epoch, tick, the widths, order, and all members of frazil_layout_info. */
static PyObject *layout_describe(PyObject *module, PyObject *capsule)
{
    const frazil_layout *layout = layout_in(capsule);
    frazil_layout_info info;

    (void)module;
    if (layout == NULL)
        return NULL;
    frazil_layout_get_info(layout, &info, sizeof info);
    return Py_BuildValue("(sNLIiiiiNKKKLLKLINN)", layout->name, PyBool_FromLong(layout->kind == FRAZIL_LAYOUT_SNO),
                         (long long)layout->epoch_unix_ms, (unsigned)layout->tick_ms, (int)layout->time_bits,
                         (int)layout->worker_bits, (int)layout->datacenter_bits, (int)layout->sequence_bits,
                         PyBool_FromLong(layout->sequence_above_worker), (unsigned long long)info.workers,
                         (unsigned long long)info.ids_per_tick, (unsigned long long)info.ids_per_second,
                         (long long)info.first_unix_ms, (long long)info.last_unix_ms, (unsigned long long)info.max_id,
                         (long long)info.sign_bit_unix_ms, (unsigned)info.total_bits,
                         PyBool_FromLong(info.reaches_sign_bit), PyBool_FromLong(info.fits_53_bits));
}

static PyObject *layout_fingerprint(PyObject *module, PyObject *capsule)
{
    const struct state *state = PyModule_GetState(module);
    const frazil_layout *layout = layout_in(capsule);
    char text[FRAZIL_FINGERPRINT_SIZE];

    if (layout == NULL)
        return NULL;
    frazil_err err = frazil_layout_fingerprint(layout, text, sizeof text, NULL);
    return err == FRAZIL_OK ? PyUnicode_FromString(text) : raise_code(state, err);
}

static PyObject *layout_compose(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    PyObject *capsule;
    frazil_fields fields = {.unix_ms = 0};
    frazil_error error;
    uint64_t id;

    if (!PyArg_ParseTuple(args, "OO&O&O&", &capsule, to_i64, &fields.unix_ms, to_u32, &fields.worker, to_u32,
                          &fields.sequence))
        return NULL;
    const frazil_layout *layout = layout_in(capsule);
    if (layout == NULL)
        return NULL;
    if (frazil_id_compose(layout, &fields, &id, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    return PyLong_FromUnsignedLongLong(id);
}

static PyObject *layout_decompose(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    PyObject *capsule, *given;
    uint64_t id = 0;
    frazil_fields fields = {.unix_ms = 0};
    frazil_error error;

    if (!PyArg_ParseTuple(args, "OO", &capsule, &given))
        return NULL;
    const frazil_layout *layout = layout_in(capsule);
    if (layout == NULL)
        return NULL;
    if (layout->kind != FRAZIL_LAYOUT_SNO && !to_u64(given, &id)) /* of a sno the library says what it is */
        return NULL;
    if (frazil_id_decompose(layout, id, &fields, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    return Py_BuildValue("(LIIII)", (long long)fields.unix_ms, (unsigned)fields.worker, (unsigned)fields.sequence,
                         (unsigned)fields.datacenter, (unsigned)fields.worker_in_datacenter);
}

static PyObject *does_not_fit(const struct state *state, const frazil_layout *layout, const char *what, uint32_t value,
                              uint64_t most)
{
    frazil_error error = {.code = FRAZIL_ERANGE, .err_class = FRAZIL_CLASS_USAGE, .position = FRAZIL_NO_POSITION};

    PyOS_snprintf(error.message, sizeof error.message, "%s %u does not fit the layout %s: must be from 0 to %llu", what,
                  (unsigned)value, layout->name, (unsigned long long)most);
    return raise_error(state, &error);
}

static PyObject *layout_worker_of(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    PyObject *capsule;
    uint32_t datacenter, worker;
    frazil_layout_info info;

    if (!PyArg_ParseTuple(args, "OO&O&", &capsule, to_u32, &datacenter, to_u32, &worker))
        return NULL;
    const frazil_layout *layout = layout_in(capsule);
    if (layout == NULL)
        return NULL;
    frazil_layout_get_info(layout, &info, sizeof info);
    if (datacenter >= info.datacenters)
        return does_not_fit(state, layout, "datacenter", datacenter, info.datacenters - 1);
    if (worker >= info.workers_in_datacenter)
        return does_not_fit(state, layout, "worker", worker, info.workers_in_datacenter - 1);
    return PyLong_FromUnsignedLongLong(datacenter * info.workers_in_datacenter + worker);
}

static PyObject *layout_first(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    PyObject *capsule;
    int64_t unix_ms;

    if (!PyArg_ParseTuple(args, "OO&", &capsule, to_i64, &unix_ms))
        return NULL;
    const frazil_layout *layout = layout_in(capsule);
    if (layout == NULL)
        return NULL;
    if (layout->kind == FRAZIL_LAYOUT_SNO)
        return raise_sentence(state, FRAZIL_EKIND, "a sno is not a number: use frazil.sno.range");
    return PyLong_FromUnsignedLongLong(frazil_id_first(layout, unix_ms));
}

static PyObject *layout_range(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    PyObject *capsule;
    int64_t from, to;
    uint64_t first, last;
    frazil_error error;

    if (!PyArg_ParseTuple(args, "OO&O&", &capsule, to_i64, &from, to_i64, &to))
        return NULL;
    const frazil_layout *layout = layout_in(capsule);
    if (layout == NULL)
        return NULL;
    if (frazil_id_range(layout, from, to, &first, &last, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    return Py_BuildValue("(KK)", (unsigned long long)first, (unsigned long long)last);
}

static PyObject *layout_overlap(PyObject *module, PyObject *args)
{
    const struct state *state = PyModule_GetState(module);
    PyObject *before_capsule, *after_capsule;
    int64_t since;
    frazil_overlap found;
    frazil_error error;

    if (!PyArg_ParseTuple(args, "OOO&", &before_capsule, &after_capsule, to_i64, &since))
        return NULL;
    const frazil_layout *before = layout_in(before_capsule);
    const frazil_layout *after = before == NULL ? NULL : layout_in(after_capsule);
    if (after == NULL)
        return NULL;
    if (frazil_layout_overlap(before, after, since, &found, sizeof found, &error) != FRAZIL_OK)
        return raise_error(state, &error);
    return Py_BuildValue("(NNNKKL)", PyBool_FromLong(found.can_collide), PyBool_FromLong(found.can_missort),
                         PyBool_FromLong(found.ever_safe), (unsigned long long)found.old_last,
                         (unsigned long long)found.new_first, (long long)found.safe_unix_ms);
}

static PyObject *layout_equal(PyObject *module, PyObject *args)
{
    PyObject *a_capsule, *b_capsule;

    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &a_capsule, &b_capsule))
        return NULL;
    const frazil_layout *a = layout_in(a_capsule);
    const frazil_layout *b = a == NULL ? NULL : layout_in(b_capsule);
    if (b == NULL)
        return NULL;
    return PyBool_FromLong(frazil_layout_equal(a, b));
}

PyMethodDef layout_functions[] = {
    {"layout_parse", layout_parse, METH_VARARGS, NULL},
    {"layout_make", layout_make, METH_VARARGS, NULL},
    {"layout_presets", layout_presets, METH_NOARGS, NULL},
    {"layout_describe", layout_describe, METH_O, NULL},
    {"layout_fingerprint", layout_fingerprint, METH_O, NULL},
    {"layout_compose", layout_compose, METH_VARARGS, NULL},
    {"layout_decompose", layout_decompose, METH_VARARGS, NULL},
    {"layout_worker_of", layout_worker_of, METH_VARARGS, NULL},
    {"layout_first", layout_first, METH_VARARGS, NULL},
    {"layout_range", layout_range, METH_VARARGS, NULL},
    {"layout_overlap", layout_overlap, METH_VARARGS, NULL},
    {"layout_equal", layout_equal, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
