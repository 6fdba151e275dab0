/* SPDX-License-Identifier: MIT */
#include "frazil/extras.h"

#include "core/sentence.h"
#include "os/fail_errno.h"
#include "os/host.h"

frazil_err frazil_salt_new(const frazil_random *random, uint64_t *ret_salt, frazil_error *reterr)
{
    uint64_t bits = 0;
    int sys = 0;

    if (random != NULL && (random->size != sizeof *random || random->next == NULL))
        return fz_fail(reterr, FRAZIL_EINVAL, "the program's random has a wrong size, or lacks next");
    if (random != NULL)
        bits = random->next(random->ctx);
    else
        sys = fz_host_entropy(&bits);
    if (sys != 0)
        return fz_fail_errno(reterr, sys, "the system's random numbers cannot be read", NULL, "");
    *ret_salt = (bits & UINT32_MAX) | 1; /* only an odd number has an inverse */
    return FRAZIL_OK;
}
