/* SPDX-License-Identifier: MIT */
/* Errors of the library become exceptions, by class. */
#include "internal.h"

#include <stdbool.h>
#include <string.h>

int errors_init(struct state *state)
{
    static const char *const names[CLASS_COUNT] = {NULL,          "UsageError", "RetryError",
                                                   "FencedError", "FatalError", "SystemCallError"};
    PyObject *module = PyImport_ImportModule("frazil._errors");

    if (module == NULL)
        return -1;
    for (int i = 1; i < CLASS_COUNT; i++) {
        state->error_classes[i] = PyObject_GetAttrString(module, names[i]);
        if (state->error_classes[i] == NULL)
            break;
    }
    state->run_handlers = PyErr_Occurred() == NULL ? PyObject_GetAttrString(module, "run_handlers") : NULL;
    Py_DECREF(module);
    return state->run_handlers != NULL ? 0 : -1;
}

int check_signals(const struct state *state)
{
#ifdef PYPY_VERSION /* there PyErr_CheckSignals does nothing, and handlers run while a function of Python does */
    PyObject *none = PyObject_CallObject(state->run_handlers, NULL);

    Py_XDECREF(none);
    return none != NULL ? 0 : -1;
#else
    (void)state;
    return PyErr_CheckSignals();
#endif
}

PyObject *error_object(const struct state *state, const frazil_error *error)
{
    bool is_known = error->err_class > 0 && error->err_class <= FRAZIL_CLASS_FATAL;
    int32_t class = error->code == FRAZIL_ESYS ? CLASS_SYSTEM : is_known ? error->err_class : FRAZIL_CLASS_FATAL;

    /* A sentence is cut at a byte, which may lie in a character. */
    PyObject *sentence = PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)strlen(error->message), "replace");
    if (sentence == NULL)
        return NULL;
    PyObject *ret = PyObject_CallFunction(state->error_classes[class], "NsiKLLi", sentence,
                                          frazil_err_name((frazil_err)error->code), (int)error->code,
                                          (unsigned long long)error->retry_ns, (long long)error->behind_us,
                                          (long long)error->position, (int)error->sys_errno);
    return ret;
}

PyObject *raise_error(const struct state *state, const frazil_error *error)
{
    PyObject *exception = error_object(state, error);

    if (exception != NULL) {
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
        Py_DECREF(exception);
    }
    return NULL;
}

PyObject *raise_sentence(const struct state *state, frazil_err err, const char *sentence)
{
    frazil_error error = {.code = err, .err_class = (int32_t)frazil_err_classify(err), .position = FRAZIL_NO_POSITION};
    size_t len = strlen(sentence);

    if (len >= sizeof error.message)
        len = sizeof error.message - 1;
    memcpy(error.message, sentence, len);
    error.length = (uint32_t)len;
    return raise_error(state, &error);
}

PyObject *raise_code(const struct state *state, frazil_err err)
{
    return raise_sentence(state, err, frazil_strerror(err));
}
