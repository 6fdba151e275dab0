/* SPDX-License-Identifier: MIT */
/* Goal of this test: Base64 that can be decoded is what encoding makes of the bytes, and of any bytes. */
#include <string.h>

#include "coordinators/etcd/base64.h"
#include "fuzz.h"

enum { BYTES_MAX = 600 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    char bytes[BYTES_MAX];
    char own[FZ_BASE64_SIZE(BYTES_MAX)];
    size_t len;

    if (fz_base64_decode(text, size, bytes, sizeof bytes, &len)) {
        REQUIRE(len <= sizeof bytes);
        fz_base64_encode(bytes, len, own);
        REQUIRE(strlen(own) == size && memcmp(own, text, size) == 0);
    }
    if (size > sizeof bytes)
        return 0;
    fz_base64_encode(text, size, own);
    REQUIRE(fz_base64_decode(own, strlen(own), bytes, sizeof bytes, &len) && len == size);
    REQUIRE(size == 0 || memcmp(bytes, text, size) == 0);
    return 0;
}
