/* SPDX-License-Identifier: MIT */
/* Whether a failure comes from a lack of descriptors, which client libraries tell in their own ways or not at all. */
#ifndef FZ_OS_SPARE_FDS_H
#define FZ_OS_SPARE_FDS_H

#include "frazil/error.h"

/*
 * The error of a request over the network, or in place of FRAZIL_EUNREACHABLE the cause, if this process gets no
 * descriptors for a connection: FRAZIL_ESYS, with EMFILE or ENFILE.  Any thread.
 */
FZ_PRIVATE frazil_err fz_fail_without_fds(frazil_err err, frazil_error *reterr);

#endif
