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
