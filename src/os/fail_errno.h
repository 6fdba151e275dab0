/* SPDX-License-Identifier: MIT */
/* Failed system calls, as errors. */
#ifndef FZ_OS_FAIL_ERRNO_H
#define FZ_OS_FAIL_ERRNO_H

#include "frazil/error.h"

/*
 * Fills *reterr (may be NULL) with FRAZIL_ESYS, sys_errno and the sentence
 * "<what> <path, quoted>: <what the system says> (errno N)<advice>", and returns
 * FRAZIL_ESYS.  path may be NULL.  advice begins with what separates it, or is empty.
 */
frazil_err fz_fail_errno(frazil_error *reterr, int sys_errno, const char *what, const char *path, const char *advice);

#endif
