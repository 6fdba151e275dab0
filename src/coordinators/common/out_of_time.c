/* SPDX-License-Identifier: MIT */
#include "out_of_time.h"

#include "core/sentence.h"
#include "os/deadline.h"

bool fz_out_of_time(struct fz_deadline deadline, const char *shown, frazil_error *reterr)
{
    if (fz_deadline_left_ns(deadline) > 0)
        return false;
    fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: not asked: the call had no time left: raise open_wait or max_wait",
            shown);
    return true;
}
