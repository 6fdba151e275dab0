/* SPDX-License-Identifier: MIT */
/* A simulated host has one user, for whom the run directory is enough: nothing is claimed. */
#include "os/claim.h"

#include <stddef.h>

#include "os/fail_errno.h"

int fz_claim_folder(const char **ret)
{
    *ret = NULL;
    return 0;
}

frazil_err fz_claim_take(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker, frazil_error *reterr)
{
    (void)key;
    (void)worker;
    (void)reterr;
    *ret = FZ_CLAIM_NONE;
    return FRAZIL_OK;
}

frazil_err fz_claim_fail(int sys, const char *path, frazil_error *reterr)
{
    return fz_fail_errno(reterr, sys, "the worker id cannot be claimed", path, "");
}

void fz_claim_release(struct fz_claim *claim)
{
    (void)claim;
}

void fz_claim_raise(const struct fz_claim *claim, uint64_t until)
{
    (void)claim;
    (void)until;
}

void fz_claim_lower(const struct fz_claim *claim, uint64_t until, uint64_t used)
{
    (void)claim;
    (void)until;
    (void)used;
}
