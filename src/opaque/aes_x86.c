/* SPDX-License-Identifier: MIT */
/* AES by the instructions of x86 processors. */
#include "aes.h"

#if defined(__x86_64__) || defined(__i386__)

#include <wmmintrin.h>

/* Lets one function use the instructions in a build for processors that may lack them. */
#define WITH_AES __attribute__((target("aes,sse2")))

static bool is_usable(void)
{
    return __builtin_cpu_supports("aes") != 0;
}

WITH_AES static __m128i load(const uint8_t bytes[FZ_AES_BLOCK])
{
    return _mm_loadu_si128((const __m128i *)(const void *)bytes);
}

WITH_AES static void store(uint8_t bytes[FZ_AES_BLOCK], __m128i block)
{
    _mm_storeu_si128((__m128i *)(void *)bytes, block);
}

/* The round key after this one (FIPS 197, 5.2). */
WITH_AES static __m128i next_round_key(__m128i key, int round_constant)
{
    /* The instruction wants its constant at compile time: it gets 0, and the constant is added behind it. */
    __m128i last = _mm_shuffle_epi32(_mm_aeskeygenassist_si128(key, 0), 0xff);

    /* Each word is added to all those behind it. */
    key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
    key = _mm_xor_si128(key, _mm_slli_si128(key, 8));
    return _mm_xor_si128(key, _mm_xor_si128(last, _mm_set1_epi32(round_constant)));
}

WITH_AES static void prepare(struct fz_opaque_key *key, const uint8_t raw[FRAZIL_OPAQUE_KEY_SIZE])
{
    __m128i round_key = load(raw);
    int round_constant = 1;

    for (int i = 0; i <= FZ_AES_ROUNDS; i++) {
        bool inner = i > 0 && i < FZ_AES_ROUNDS;
        store(key->round_keys[0][i], round_key);
        store(key->round_keys[1][i], inner ? _mm_aesimc_si128(round_key) : round_key);
        round_key = next_round_key(round_key, round_constant);
        /* Times x in GF(2^8). */
        round_constant = round_constant << 1 ^ (round_constant >> 7) * 0x11b;
    }
}

WITH_AES static bool encrypt(const struct fz_opaque_key *key, const uint8_t in[FZ_AES_BLOCK], uint8_t ret[FZ_AES_BLOCK])
{
    const uint8_t(*round_keys)[FZ_AES_BLOCK] = key->round_keys[0];
    __m128i block = _mm_xor_si128(load(in), load(round_keys[0]));

    for (int i = 1; i < FZ_AES_ROUNDS; i++)
        block = _mm_aesenc_si128(block, load(round_keys[i]));
    store(ret, _mm_aesenclast_si128(block, load(round_keys[FZ_AES_ROUNDS])));
    return true;
}

WITH_AES static bool decrypt(const struct fz_opaque_key *key, const uint8_t in[FZ_AES_BLOCK], uint8_t ret[FZ_AES_BLOCK])
{
    const uint8_t(*round_keys)[FZ_AES_BLOCK] = key->round_keys[1];
    __m128i block = _mm_xor_si128(load(in), load(round_keys[FZ_AES_ROUNDS]));

    for (int i = FZ_AES_ROUNDS - 1; i > 0; i--)
        block = _mm_aesdec_si128(block, load(round_keys[i]));
    store(ret, _mm_aesdeclast_si128(block, load(round_keys[0])));
    return true;
}

const struct fz_aes fz_aes_processor = {"processor", is_usable, prepare, encrypt, decrypt};

#endif
