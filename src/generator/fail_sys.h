/* SPDX-License-Identifier: MIT */
/* Failed system calls as errors. */
#ifndef FZ_GENERATOR_FAIL_SYS_H
#define FZ_GENERATOR_FAIL_SYS_H

#include "frazil/error.h"

/*
 * Fills *reterr (may be NULL) with FRAZIL_ESYS, sys_errno and the sentence
 * "<fmt with %q replaced by name>: <what the system says>", and returns
 * FRAZIL_ESYS.
 */
frazil_err fz_fail_sys(frazil_error *reterr, int sys_errno, const char *fmt, const char *name);

#endif
