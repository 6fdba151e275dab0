/* SPDX-License-Identifier: MIT */
/* What a claim is made for, in tests of claims. */
#ifndef TESTS_LIB_CLAIM_KEY_H
#define TESTS_LIB_CLAIM_KEY_H

#include "os/claim.h"

/* For a word of that nonce, with a holder's directory of its own, at that tick of a millisecond, in a folder. */
struct fz_claim_key claim_key(const char *folder, uint64_t nonce, uint64_t now_tick);

#endif
