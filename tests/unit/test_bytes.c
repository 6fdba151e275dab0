/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: an id goes into eight big-endian bytes and comes back, and no other number of bytes is an id.
 */

#include "frazil/extras.h"
#include "lib/near_miss.h"
#include "lib/test.h"

#define UNTOUCHED UINT64_C(0xdeadbeefdeadbeef)
#define ROUND_TRIPS 20000

TEST("The bytes are those of the number, the highest first, at any address, and eight of them are an id")
{
    static const uint8_t expected[FRAZIL_BYTES_SIZE] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
    uint8_t bytes[FRAZIL_BYTES_SIZE + 2] = {0};
    uint64_t id = UNTOUCHED;
    frazil_error err;

    frazil_bytes_write(UINT64_C(0x0123456789abcdef), bytes + 1);
    assert_memory_equal(bytes + 1, expected, sizeof expected);
    assert_true(bytes[0] == 0 && bytes[FRAZIL_BYTES_SIZE + 1] == 0);
    assert_int_equal(frazil_bytes_read(bytes + 1, FRAZIL_BYTES_SIZE, &id, &err), FRAZIL_OK);
    assert_true(id == UINT64_C(0x0123456789abcdef));
    for (size_t len = 0; len <= sizeof bytes; len++) {
        id = UNTOUCHED;
        if (len == FRAZIL_BYTES_SIZE)
            continue;
        assert_int_equal(frazil_bytes_read(len == 0 ? NULL : bytes, len, &id, &err), FRAZIL_EPARSE);
        assert_int_equal(err.code, FRAZIL_EPARSE);
        assert_true(id == UNTOUCHED);
    }
}

TEST("Bytes sort as the numbers do")
{
    uint64_t seed = 7;

    for (unsigned i = 0; i < ROUND_TRIPS; i++) {
        uint64_t a = seeded_next(&seed);
        uint64_t b = a ^ (UINT64_C(1) << (i & 63));
        uint8_t a_bytes[FRAZIL_BYTES_SIZE];
        uint8_t b_bytes[FRAZIL_BYTES_SIZE];
        frazil_bytes_write(a, a_bytes);
        frazil_bytes_write(b, b_bytes);
        assert_int_equal(memcmp(a_bytes, b_bytes, sizeof a_bytes) < 0, a < b);
    }
}
