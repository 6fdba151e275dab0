/* SPDX-License-Identifier: MIT */
/*
 * The alphabets of the text forms, and numbers as a fixed count of their digits.
 */
#ifndef FZ_CORE_ALPHABETS_H
#define FZ_CORE_ALPHABETS_H

#include <stddef.h>
#include <stdint.h>

#define FZ_RADIX_MAX 64

struct fz_alphabet {
    char digits[FZ_RADIX_MAX]; /* the character of a value; no terminator */
    uint8_t values[256];       /* the value of a character plus 1; 0 for those that are no digit */
};

extern const struct fz_alphabet fz_base36;    /* and of every smaller radix, with as many of its digits */
extern const struct fz_alphabet fz_crockford; /* read in either case, and with letters that look like digits */
extern const struct fz_alphabet fz_hex;       /* read in either case */
extern const struct fz_alphabet fz_base58;
extern const struct fz_alphabet fz_base62;
extern const struct fz_alphabet fz_base64url;

/* The value of a character plus 1, or 0 when it is no digit. */
static inline unsigned fz_alphabet_value(const struct fz_alphabet *alphabet, char c)
{
    return alphabet->values[(unsigned char)c];
}

/*
 * Writes the lowest `width` digits of value, no terminator.  Two at a time, so
 * that half as many divisions wait for each other; a constant radix spares them.
 */
static inline void fz_digits_put(char *buf, size_t width, uint64_t value, const struct fz_alphabet *alphabet,
                                 unsigned radix)
{
    size_t i = width;

    for (; i > 1; value /= radix * radix) {
        unsigned both = (unsigned)(value % (radix * radix));
        buf[--i] = alphabet->digits[both % radix];
        buf[--i] = alphabet->digits[both / radix];
    }
    if (i > 0)
        buf[0] = alphabet->digits[value % radix];
}

#endif
