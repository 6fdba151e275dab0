/* SPDX-License-Identifier: MIT */
/* Requests that are not sent any more. */
#ifndef FZ_COORDINATORS_OUT_OF_TIME_H
#define FZ_COORDINATORS_OUT_OF_TIME_H

#include "lease/register.h"

/*
 * Whether a deadline has passed; then it says so, by the coordinator's name in sentences.  Asked before each request:
 * the result of one that is not sent is FZ_REGISTER_UNREACHABLE, while a swap that is sent and not waited for costs a
 * worker id.
 */
FZ_PRIVATE bool fz_out_of_time(struct fz_deadline deadline, const char *shown, frazil_error *reterr);

#endif
