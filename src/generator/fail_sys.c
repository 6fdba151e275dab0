/* SPDX-License-Identifier: MIT */
#include "fail_sys.h"

#include <string.h>

#include "core/sentence.h"

frazil_err fz_fail_sys(frazil_error *reterr, int sys_errno, const char *fmt, const char *name)
{
    char reason[128];
    frazil_error what;

    if (reterr == NULL)
        return FRAZIL_ESYS;
    if (strerror_r(sys_errno, reason, sizeof reason) != 0)
        reason[0] = '\0';
    fz_fail(&what, FRAZIL_ESYS, fmt, name);
    fz_fail(reterr, FRAZIL_ESYS, "%s: %s (errno %d)", what.message, reason, (int64_t)sys_errno);
    reterr->sys_errno = sys_errno;
    return FRAZIL_ESYS;
}
