/* SPDX-License-Identifier: MIT */
/*
 * Bytes to words and back, whatever the byte order and alignment of the
 * machine, and arithmetic on eight bytes at once.  Compilers turn each load and
 * store into one instruction.
 */
#ifndef FZ_CORE_WORD_H
#define FZ_CORE_WORD_H

#include <stdint.h>
#include <string.h>

/* The same byte in all eight places. */
#define FZ_EVERY_BYTE(byte) ((byte)*UINT64_C(0x0101010101010101))

/* Reverses the bytes of a word. */
static inline uint64_t fz_swap_bytes(uint64_t word)
{
    return __builtin_bswap64(word);
}

/* Eight bytes; the first is the lowest. */
static inline uint64_t fz_load_le64(const void *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word : fz_swap_bytes(word);
}

/* Eight bytes; the first is the highest. */
static inline uint64_t fz_load_be64(const void *bytes)
{
    return fz_swap_bytes(fz_load_le64(bytes));
}

/* Writes the lowest byte first. */
static inline void fz_store_le64(void *bytes, uint64_t word)
{
    word = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word : fz_swap_bytes(word);
    memcpy(bytes, &word, sizeof word);
}

/* Writes the highest byte first. */
static inline void fz_store_be64(void *bytes, uint64_t word)
{
    fz_store_le64(bytes, fz_swap_bytes(word));
}

/* Two bytes; the first is the higher. */
static inline uint16_t fz_load_be16(const void *bytes)
{
    const unsigned char *at = bytes;

    return (uint16_t)(at[0] << 8 | at[1]);
}

/* Writes the higher byte first. */
static inline void fz_store_be16(void *bytes, uint16_t word)
{
    const unsigned char both[2] = {(unsigned char)(word >> 8), (unsigned char)(word & 0xff)};

    memcpy(bytes, both, sizeof both);
}

#endif
