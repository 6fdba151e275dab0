/* SPDX-License-Identifier: MIT */
/* Goal of this test: whatever answers in Redis' place, the register says what has happened. */
#include "peer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct peer redis = {.coordinator = frazil_coordinator_redis,
                                      .url = "redis://:hunter2@127.0.0.1:",
                                      .rest = "/orders?timeout=1s",
                                      .head = "+OK\r\n", /* to AUTH */
                                      .head_len = 5};

    peer_ask(&redis, data, size);
    return 0;
}
