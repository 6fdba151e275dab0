/* SPDX-License-Identifier: MIT */
/* What a claim is made for, in tests of claims. */
#ifndef TESTS_LIB_CLAIM_KEY_H
#define TESTS_LIB_CLAIM_KEY_H

#include "os/claim.h"

/*
 * Makes the key by which a word of that nonce is claimed in a folder, at that tick of a millisecond; its holder has a
 * directory of its own.
 */
struct fz_claim_key claim_key(const char *folder, uint64_t nonce, uint64_t now_tick);

/* fz_claim_insist and fz_claim_take of a call without a deadline that has other numbers. */
int claim_insist(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker,
                 struct fz_claim_other *ret_other);
frazil_err claim_take(struct fz_claim *ret, const struct fz_claim_key *key, uint32_t worker, frazil_error *reterr);

#endif
