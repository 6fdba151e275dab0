/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the checksum is IEEE's CRC-32, and shards and hashed
 * workers are made of it as frazil/text.h says, with their errors.  That the
 * numbers are konayuki's is shown in test_vectors_text.c.
 */

#include "core/crc32.h"
#include "frazil/extras.h"
#include "lib/test.h"

/* CRC-32 bit by bit, as the standard writes it. */
static uint32_t slow_crc32(const unsigned char *bytes, size_t len)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < len; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc & 1) != 0 ? crc >> 1 ^ UINT32_C(0xedb88320) : crc >> 1;
    }
    return ~crc;
}

TEST("The check values of the catalogues, and the definition over every byte")
{
    unsigned char bytes[512];

    assert_int_equal(fz_crc32("", 0), 0);
    assert_int_equal(fz_crc32("123456789", 9), UINT32_C(0xcbf43926));
    assert_int_equal(fz_crc32("The quick brown fox jumps over the lazy dog", 43), UINT32_C(0x414fa339));
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)((i * 7 + i / 256) & 0xff);
    for (size_t len = 0; len <= sizeof bytes; len++)
        assert_int_equal(fz_crc32(bytes, len), slow_crc32(bytes, len));
}

TEST("A shard is the checksum of the decimal text modulo the number of shards, up to the largest number there is")
{
    uint32_t shard = 42;

    assert_int_equal(frazil_shard(123456789, UINT32_MAX, &shard), FRAZIL_OK);
    assert_int_equal(shard, UINT32_C(0xcbf43926));
    assert_int_equal(frazil_shard(123456789, 1000, &shard), FRAZIL_OK);
    assert_int_equal(shard, UINT32_C(0xcbf43926) % 1000);
    assert_int_equal(frazil_shard(UINT64_MAX, 1, &shard), FRAZIL_OK);
    assert_int_equal(shard, 0);
}

TEST("No shards, no workers and no text are errors")
{
    uint32_t ret = 42;

    assert_int_equal(frazil_shard(1, 0, &ret), FRAZIL_EINVAL);
    assert_int_equal(frazil_worker_hash("host", 4, 0, &ret), FRAZIL_EINVAL);
    assert_int_equal(frazil_worker_hash("host", 0, 16, &ret), FRAZIL_EINVAL);
    assert_int_equal(ret, 42);
}

TEST("A worker's hash is of the given number of bytes, whatever they are")
{
    uint32_t worker = 42;

    assert_int_equal(frazil_worker_hash("123456789abc", 9, UINT32_MAX, &worker), FRAZIL_OK);
    assert_int_equal(worker, UINT32_C(0xcbf43926));
    assert_int_equal(frazil_worker_hash("\0", 1, 1024, &worker), FRAZIL_OK);
    assert_int_equal(worker, UINT32_C(0xd202ef8d) % 1024);
}
