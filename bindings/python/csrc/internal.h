/* SPDX-License-Identifier: MIT */
/*
 * Declarations that the files of the extension share.  It is built against the limited API of Python 3.9, so that one
 * binary serves every later version; state hangs on the module, so that each interpreter of a process has its own.
 */
#ifndef FRAZIL_PYTHON_INTERNAL_H
#define FRAZIL_PYTHON_INTERNAL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <frazil.h>
#ifndef FRAZIL_KASUMI_CHECKED /* the two-file form has it inside */
#include <frazil/extras.h>
#endif

/* Errors of the system have a class of their own, for Python. */
enum { CLASS_SYSTEM = FRAZIL_CLASS_FATAL + 1, CLASS_COUNT };

/* Of one import of the module, in one interpreter. */
struct state {
    PyObject *error_classes[CLASS_COUNT]; /* by frazil_err_class; the one of FRAZIL_CLASS_NONE is NULL */
    PyTypeObject *generator_type;
    PyObject *run_handlers; /* of frazil._errors */
};

/* ---- errors (errors.c) ---------------------------------------------------- */

/* Finds the classes in frazil._errors.  -1 with an exception set. */
int errors_init(struct state *state);

/* Runs the handlers of signals that have come, in the main thread.  -1: one of them has raised. */
int check_signals(const struct state *state);

/* Sets the exception for an error that a function of frazil has explained.  Returns NULL. */
PyObject *raise_error(const struct state *state, const frazil_error *error);

/* The same for a function that returns the number alone. */
PyObject *raise_code(const struct state *state, frazil_err err);

/* The same with a sentence of the binding's. */
PyObject *raise_sentence(const struct state *state, frazil_err err, const char *sentence);

/* The exception object for an error, not raised.  NULL with an exception set. */
PyObject *error_object(const struct state *state, const frazil_error *error);

/* ---- values (values.c) -------------------------------------------------------- */

/* Converters for "O&": whole numbers only, and none is cut.  0 with an exception set. */
int to_u64(PyObject *object, void *ret_u64);
int to_u32(PyObject *object, void *ret_u32);
int to_u16(PyObject *object, void *ret_u16);
int to_u8(PyObject *object, void *ret_u8);
int to_i64(PyObject *object, void *ret_i64);
int to_count(PyObject *object, void *ret_size);

/* Seconds as nanoseconds; None and infinity: FRAZIL_WAIT_FOREVER; Ellipsis: FRAZIL_WAIT_DEFAULT. */
int to_wait(PyObject *object, void *ret_ns);

/* The text form of that name; -1 with an exception set: there is none. */
int form_named(const struct state *state, const char *name, frazil_text *ret);

/* Ten bytes. */
int to_sno(PyObject *object, void *ret_sno);

PyObject *from_sno(const frazil_sno *id);

/* The content of a capsule that this module made; NULL with an exception set. */
const frazil_layout *layout_in(PyObject *capsule);
frazil_manual_clock *clock_in(PyObject *capsule);
PyObject *layout_capsule(const frazil_layout *layout);

/* ---- the parts of the module --------------------------------------------------- */

extern PyMethodDef layout_functions[];
extern PyMethodDef text_functions[];
extern PyMethodDef sno_functions[];
extern PyMethodDef clock_functions[];

/* generator.c and its neighbours */
PyTypeObject *generator_type_new(void);
PyObject *open_generator(PyObject *module, PyObject *args);
PyObject *close_generators(PyObject *module, PyObject *args);

#endif
