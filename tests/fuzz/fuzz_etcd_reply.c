/* SPDX-License-Identifier: MIT */
/* Goal of this test: whatever JSON answers in etcd's place, the register says what has happened. */
#include "peer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] =
        "HTTP/1.0 200 OK\r\nDate: Sun, 22 Nov 2026 14:23:52 GMT\r\nContent-Type: application/json\r\n\r\n";
    static const struct peer etcd = {.coordinator = frazil_coordinator_etcd,
                                     .url = "etcd://127.0.0.1:",
                                     .rest = "/orders?timeout=1s",
                                     .head = head,
                                     .head_len = sizeof head - 1};

    peer_ask(&etcd, data, size);
    return 0;
}
