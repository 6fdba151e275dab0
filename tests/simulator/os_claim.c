/* SPDX-License-Identifier: MIT */
/* A simulated host has one user with one run directory: nothing is claimed. */
#include "os/claim.h"

#include <string.h>

#include "os/fail_errno.h"

frazil_err fz_claim_folder(char ret[FZ_PATH_SIZE], const char *wanted, frazil_error *reterr)
{
    (void)wanted;
    (void)reterr;
    memcpy(ret, "/dev/shm", sizeof "/dev/shm");
    return FRAZIL_OK;
}

int fz_claim_try(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                 struct fz_claim_other *ret_other)
{
    (void)key;
    (void)worker;
    (void)ret_other;
    *ret = FZ_CLAIM_NONE;
    return 0;
}

int fz_claim_insist(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                    struct fz_claim_other *ret_other)
{
    return fz_claim_try(ret, key, worker, ret_other);
}

bool fz_claim_pause(uint64_t *waited_ns)
{
    (void)waited_ns;
    return false;
}

frazil_err fz_claim_take(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker, frazil_error *reterr)
{
    (void)key;
    (void)worker;
    (void)reterr;
    *ret = FZ_CLAIM_NONE;
    return FRAZIL_OK;
}

int fz_claim_find(const struct fz_claim_key *key, uint32_t worker, struct fz_claim_other *ret_other)
{
    (void)key;
    (void)worker;
    (void)ret_other;
    return 0;
}

frazil_err fz_claim_fail(int sys, const char *path, frazil_error *reterr)
{
    return fz_fail_errno(reterr, sys, "the worker id cannot be claimed", path, "");
}

frazil_err fz_claim_refuse(uint32_t worker, const struct fz_claim_key *key, const struct fz_claim_other *other,
                           frazil_error *reterr)
{
    (void)worker;
    (void)key;
    return fz_claim_fail(other->sys_errno, other->path, reterr);
}

int fz_claim_keep(struct fz_claim *claim, uint64_t now_tick, struct fz_claim_other *ret_other)
{
    (void)claim;
    (void)now_tick;
    (void)ret_other;
    return 0;
}

frazil_err fz_claim_lost(const struct fz_claim *claim, const struct fz_claim_other *other, frazil_error *reterr)
{
    return fz_claim_fail(other->sys_errno, claim->path, reterr);
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
