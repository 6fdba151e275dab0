/* SPDX-License-Identifier: MIT */
#include "lib/claim_key.h"

struct fz_claim_key claim_key(const char *folder, uint64_t nonce, uint64_t now_tick)
{
    return (struct fz_claim_key){.folder = folder,
                                 .fingerprint = "layout",
                                 .name = "orders",
                                 .bounds = {.min = 0, .max = 4095, .top = 4095},
                                 .tick_ms = 1,
                                 .now_tick = now_tick,
                                 .max_ahead = 1000,
                                 .holder = nonce == 1 ? "/run/first" : "/run/second",
                                 .word = {.nonce = nonce, .device = 1, .inode = 2}};
}

int claim_insist(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                 struct fz_claim_other *ret_other)
{
    struct fz_claim_patience patience = fz_claim_patience(FZ_DEADLINE_NONE, false);

    return fz_claim_insist(ret, key, worker, &patience, ret_other);
}

frazil_err claim_take(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker, frazil_error *reterr)
{
    struct fz_claim_patience patience = fz_claim_patience(FZ_DEADLINE_NONE, false);

    return fz_claim_take(ret, key, worker, &patience, reterr);
}
