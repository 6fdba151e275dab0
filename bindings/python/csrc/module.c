/* SPDX-License-Identifier: MIT */
/* The module frazil._frazil: the parts put together, once for each interpreter that imports it. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

/* Ids of an older or newer interface would be read wrongly: the installed library may be another than was built for. */
static int check_version(void)
{
    if (FRAZIL_VERSION_FITS(frazil_version_number()))
        return 0;
    (void)PyErr_Format(PyExc_ImportError,
                       "this package was built for frazil %d.%d, and the library that was loaded is %s: install the "
                       "one that fits, or rebuild the package",
                       FRAZIL_VERSION_MAJOR, FRAZIL_VERSION_MINOR, frazil_version());
    return -1;
}

static int add_functions(PyObject *module)
{
    PyMethodDef *const tables[] = {layout_functions, text_functions, sno_functions, clock_functions};

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (PyModule_AddFunctions(module, tables[i]) < 0)
            return -1;
    }
    return 0;
}

static int module_exec(PyObject *module)
{
    struct state *state = PyModule_GetState(module);

    if (check_version() < 0 || errors_init(state) < 0 || add_functions(module) < 0)
        return -1;
    state->generator_type = generator_type_new();
    if (state->generator_type == NULL)
        return -1;
    Py_INCREF(state->generator_type);
    if (PyModule_AddObject(module, "Generator", (PyObject *)state->generator_type) < 0) {
        Py_DECREF(state->generator_type);
        return -1;
    }
    return PyModule_AddStringConstant(module, "version", frazil_version());
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    struct state *state = PyModule_GetState(module);

    if (state == NULL)
        return 0;
    for (int i = 0; i < CLASS_COUNT; i++)
        Py_VISIT(state->error_classes[i]);
    Py_VISIT(state->run_handlers);
    Py_VISIT((PyObject *)state->generator_type);
    return 0;
}

static int module_clear(PyObject *module)
{
    struct state *state = PyModule_GetState(module);

    if (state == NULL)
        return 0;
    for (int i = 0; i < CLASS_COUNT; i++)
        Py_CLEAR(state->error_classes[i]);
    Py_CLEAR(state->run_handlers);
    Py_CLEAR(state->generator_type);
    return 0;
}

static void module_free(void *module)
{
    (void)module_clear(module);
}

static PyMethodDef functions[] = {
    {"open", open_generator, METH_VARARGS, NULL},
    {"close_all", close_generators, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

enum { FIRST_FREE_SLOT = 1, SLOT_COUNT = 4 };

/* Of Python's stable ABI, which the headers of 3.9 do not have yet. */
enum { SLOT_MULTIPLE_INTERPRETERS = 3, OWN_GIL_SUPPORTED = 2, SLOT_GIL = 4, GIL_NOT_USED = 1 };

static PyModuleDef_Slot slots[SLOT_COUNT] = {{Py_mod_exec, module_exec}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "frazil._frazil",    .m_size = sizeof(struct state), .m_methods = functions,
    .m_slots = slots,      .m_traverse = module_traverse, .m_clear = module_clear,        .m_free = module_free,
};

/* A slot that an older Python does not know is an error there: what runs is asked, not what was built for. */
static void fill_slots(void)
{
    int minor = 0;
    int at = FIRST_FREE_SLOT;

    (void)sscanf(Py_GetVersion(), "3.%d", &minor);
    /* Each interpreter may have a lock of its own: nothing here is shared that the library does not share safely. */
    if (minor >= 12)
        slots[at++] = (PyModuleDef_Slot){SLOT_MULTIPLE_INTERPRETERS, (void *)(uintptr_t)OWN_GIL_SUPPORTED};
#ifdef Py_GIL_DISABLED
    if (minor >= 13)
        slots[at++] = (PyModuleDef_Slot){SLOT_GIL, (void *)(uintptr_t)GIL_NOT_USED};
#endif
    slots[at] = (PyModuleDef_Slot){0, NULL};
}

PyMODINIT_FUNC PyInit__frazil(void)
{
    fill_slots();
    return PyModuleDef_Init(&definition);
}
