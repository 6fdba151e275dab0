/* SPDX-License-Identifier: MIT */
#include "redis_sha1.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = 64, LENGTH_SIZE = 8, WORDS = 5, ROUNDS = 80 };

static uint32_t rotate(uint32_t x, int bits)
{
    return x << bits | x >> (32 - bits);
}

/* The function and the constant of a round, applied to three of the words. */
static uint32_t mix(int round, uint32_t b, uint32_t c, uint32_t d)
{
    if (round < 20)
        return ((b & c) | (~b & d)) + UINT32_C(0x5a827999);
    if (round < 40)
        return (b ^ c ^ d) + UINT32_C(0x6ed9eba1);
    if (round < 60)
        return ((b & c) | (b & d) | (c & d)) + UINT32_C(0x8f1bbcdc);
    return (b ^ c ^ d) + UINT32_C(0xca62c1d6);
}

static void add_block(uint32_t hash[WORDS], const unsigned char block[BLOCK])
{
    uint32_t w[ROUNDS];
    uint32_t v[WORDS];

    for (int i = 0; i < 16; i++, block += 4)
        w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 | block[3];
    for (int i = 16; i < ROUNDS; i++)
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    memcpy(v, hash, sizeof v);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t next = rotate(v[0], 5) + mix(i, v[1], v[2], v[3]) + v[4] + w[i];
        memmove(&v[1], &v[0], (WORDS - 1) * sizeof v[0]);
        v[2] = rotate(v[2], 30);
        v[0] = next;
    }
    for (int i = 0; i < WORDS; i++)
        hash[i] += v[i];
}

/* The rest of the text, a bit that is set, zeros, and the length of the text in bits. */
static void add_end(uint32_t hash[WORDS], const char *rest, size_t len, uint64_t text_len)
{
    unsigned char end[2 * BLOCK] = {0};
    size_t size = len + 1 + LENGTH_SIZE <= BLOCK ? BLOCK : 2 * BLOCK;

    if (len > 0)
        memcpy(end, rest, len);
    end[len] = 0x80;
    for (size_t i = 0; i < LENGTH_SIZE; i++)
        end[size - 1 - i] = (unsigned char)(text_len * 8 >> 8 * i);
    for (size_t at = 0; at < size; at += BLOCK)
        add_block(hash, end + at);
}

void fz_redis_sha1(const char *text, size_t len, char ret[FZ_REDIS_SHA1_LEN + 1])
{
    uint32_t hash[WORDS] = {UINT32_C(0x67452301), UINT32_C(0xefcdab89), UINT32_C(0x98badcfe), UINT32_C(0x10325476),
                            UINT32_C(0xc3d2e1f0)};
    size_t done = 0;

    for (; len - done >= BLOCK; done += BLOCK)
        add_block(hash, (const unsigned char *)text + done);
    add_end(hash, text + done, len - done, len);
    for (int i = 0; i < FZ_REDIS_SHA1_LEN; i++)
        ret[i] = "0123456789abcdef"[hash[i / 8] >> (28 - i % 8 * 4) & 15];
    ret[FZ_REDIS_SHA1_LEN] = '\0';
}
