/* SPDX-License-Identifier: MIT */
#include "fail_errno.h"

#include <string.h>

#include "core/sentence.h"

frazil_err fz_fail_errno(frazil_error *reterr, int sys_errno, const char *what, const char *path, const char *advice)
{
    char reason[128];

    if (strerror_r(sys_errno, reason, sizeof reason) != 0)
        reason[0] = '\0';
    if (path == NULL)
        fz_fail(reterr, FRAZIL_ESYS, "%s: %s (errno %d)%s", what, reason, (int64_t)sys_errno, advice);
    else
        fz_fail(reterr, FRAZIL_ESYS, "%s %q: %s (errno %d)%s", what, path, reason, (int64_t)sys_errno, advice);
    if (reterr != NULL)
        reterr->sys_errno = sys_errno;
    return FRAZIL_ESYS;
}
