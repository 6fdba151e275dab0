/* SPDX-License-Identifier: MIT */
/* AES by the instructions of 64-bit Arm processors, on Linux, which says whether they are there. */
#include "aes.h"

#if defined(__AARCH64EL__) && defined(__linux__)

/* Lets the file use the instructions in a build for processors that may lack them. */
#if defined(__clang__) && __clang_major__ < 16
#pragma clang attribute push(__attribute__((target("crypto"))), apply_to = function)
#define __ARM_FEATURE_AES 1 /* else the intrinsics are declared where the whole build has them only */
#elif defined(__clang__)
#pragma clang attribute push(__attribute__((target("+crypto"))), apply_to = function)
#else
#pragma GCC target("+crypto")
#endif

#include <arm_neon.h>
#include <sys/auxv.h>

#define HWCAP_AES_BIT (1UL << 3) /* HWCAP_AES of <asm/hwcap.h> */

static bool is_usable(void)
{
    return (getauxval(AT_HWCAP) & HWCAP_AES_BIT) != 0;
}

/* The round key after this one (FIPS 197, 5.2). */
static uint8x16_t next_round_key(uint8x16_t key, uint32_t round_constant)
{
    const uint8x16_t zero = vdupq_n_u8(0);
    uint32x4_t words = vreinterpretq_u32_u8(key);

    /* AESE is a substitution and a rotation of rows, and rotating rows of four equal columns changes nothing. */
    uint32x4_t last = vreinterpretq_u32_u8(vaeseq_u8(vreinterpretq_u8_u32(vdupq_laneq_u32(words, 3)), zero));
    last = vsriq_n_u32(vshlq_n_u32(last, 24), last, 8);

    /* Each word is added to all those behind it. */
    key = veorq_u8(key, vextq_u8(zero, key, 12));
    key = veorq_u8(key, vextq_u8(zero, key, 8));
    return veorq_u8(key, vreinterpretq_u8_u32(veorq_u32(last, vdupq_n_u32(round_constant))));
}

static void prepare(struct fz_opaque_key *key, const uint8_t raw[FRAZIL_OPAQUE_KEY_SIZE])
{
    uint8x16_t round_key = vld1q_u8(raw);
    uint32_t round_constant = 1;

    for (int i = 0; i <= FZ_AES_ROUNDS; i++) {
        bool inner = i > 0 && i < FZ_AES_ROUNDS;
        vst1q_u8(key->round_keys[0][i], round_key);
        vst1q_u8(key->round_keys[1][i], inner ? vaesimcq_u8(round_key) : round_key);
        round_key = next_round_key(round_key, round_constant);
        /* Times x in GF(2^8). */
        round_constant = round_constant << 1 ^ (round_constant >> 7) * 0x11b;
    }
}

static bool encrypt(const struct fz_opaque_key *key, const uint8_t in[FZ_AES_BLOCK], uint8_t ret[FZ_AES_BLOCK])
{
    const uint8_t(*round_keys)[FZ_AES_BLOCK] = key->round_keys[0];
    uint8x16_t block = vld1q_u8(in);

    /* Here the round key is added at the beginning of a round, not at its end. */
    for (int i = 0; i < FZ_AES_ROUNDS - 1; i++)
        block = vaesmcq_u8(vaeseq_u8(block, vld1q_u8(round_keys[i])));
    block = vaeseq_u8(block, vld1q_u8(round_keys[FZ_AES_ROUNDS - 1]));
    vst1q_u8(ret, veorq_u8(block, vld1q_u8(round_keys[FZ_AES_ROUNDS])));
    return true;
}

static bool decrypt(const struct fz_opaque_key *key, const uint8_t in[FZ_AES_BLOCK], uint8_t ret[FZ_AES_BLOCK])
{
    const uint8_t(*round_keys)[FZ_AES_BLOCK] = key->round_keys[1];
    uint8x16_t block = vld1q_u8(in);

    for (int i = FZ_AES_ROUNDS; i > 1; i--)
        block = vaesimcq_u8(vaesdq_u8(block, vld1q_u8(round_keys[i])));
    block = vaesdq_u8(block, vld1q_u8(round_keys[1]));
    vst1q_u8(ret, veorq_u8(block, vld1q_u8(round_keys[0])));
    return true;
}

#if defined(__clang__)
#pragma clang attribute pop
#endif

const struct fz_aes fz_aes_processor = {"processor", is_usable, prepare, encrypt, decrypt};

#endif
