/* SPDX-License-Identifier: MIT */
/* Goal of this test: whatever answers in MySQL's place, once one is logged in, the register says what has happened. */
#include "peer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char greeting[] = "\123\0\0\0\12"
                                   "10.11.0-MariaDB\0\1\0\0\0saltsalt\0\11\242\55\2\0\13\0\25"
                                   "\0\0\0\0\0\0\0\0\0\0saltsaltsalt\0mysql_native_password\0";
    static const char logged_in[] = "\7\0\0\2\0\0\0\2\0\0\0";
    static const struct peer mysql = {.coordinator = frazil_coordinator_mysql,
                                      .url = "mysql://me:hunter2@127.0.0.1:",
                                      .rest = "/db/orders?ssl-mode=DISABLED&timeout=1s",
                                      .speaks_first = true,
                                      .greeting = greeting,
                                      .greeting_len = sizeof greeting - 1,
                                      .head = logged_in,
                                      .head_len = sizeof logged_in - 1};

    peer_ask(&mysql, data, size);
    return 0;
}
