/* SPDX-License-Identifier: MIT */
/* Goal of this test: whatever answers in PostgreSQL's place, once one is logged in, the register says what has
 * happened. */
#include "peer.h"

/* libpq loses the result that it was building when a description of rows makes no sense; the sanitizer asks here. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:PQmakeEmptyPGresult";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char greeting[] = "R\0\0\0\10\0\0\0\0"                    /* authenticated */
                                   "S\0\0\0\30server_version\00015.0\0"    /* 24 bytes */
                                   "S\0\0\0\31client_encoding\0UTF8\0"     /* 25 bytes */
                                   "K\0\0\0\14\0\0\0\1\0\0\0\2Z\0\0\0\5I"; /* ready */
    static const struct peer postgresql = {.coordinator = frazil_coordinator_postgresql,
                                           .url = "postgresql://me:hunter2@127.0.0.1:",
                                           .rest = "/db/orders?sslmode=disable",
                                           .greeting = greeting,
                                           .greeting_len = sizeof greeting - 1};

    peer_ask(&postgresql, data, size);
    return 0;
}
