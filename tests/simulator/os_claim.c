/* SPDX-License-Identifier: MIT */
/*
 * Before the library's claim.c, which runs over simulated files (claims.h).  Hosts of most worlds have one user with
 * one run directory: nothing is claimed there.
 */
#include "os/claim.h"

#include "plan.h"

/* See rooms/stand_in_files.h. */
int claim_try_for_real(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                       struct fz_claim_other *ret_other);
int claim_insist_for_real(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                          struct fz_claim_patience *patience, struct fz_claim_other *ret_other);
frazil_err claim_take_for_real(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                               struct fz_claim_patience *patience, frazil_error *reterr);

int fz_claim_try(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                 struct fz_claim_other *ret_other)
{
    if (plan.of_users)
        return claim_try_for_real(ret, key, worker, ret_other);
    *ret = FZ_CLAIM_NONE;
    return 0;
}

int fz_claim_insist(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                    struct fz_claim_patience *patience, struct fz_claim_other *ret_other)
{
    if (plan.of_users)
        return claim_insist_for_real(ret, key, worker, patience, ret_other);
    *ret = FZ_CLAIM_NONE;
    return 0;
}

frazil_err fz_claim_take(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                         struct fz_claim_patience *patience, frazil_error *reterr)
{
    if (plan.of_users)
        return claim_take_for_real(ret, key, worker, patience, reterr);
    *ret = FZ_CLAIM_NONE;
    return FRAZIL_OK;
}
