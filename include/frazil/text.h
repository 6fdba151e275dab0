/* SPDX-License-Identifier: MIT */
/*
 * 64-bit ids as text, shards, hashed worker numbers, and the kasumi scrambler.
 * Everything here but frazil_salt_new is pure: no clock, no state, any thread.
 */
#ifndef FRAZIL_TEXT_H
#define FRAZIL_TEXT_H

#include "clock.h"

FRAZIL_BEGIN_DECLS

/* clang-format off */
/*
 * The text forms, all of them: X(identifier, number, name, room), where room is the most characters that the form
 * writes.  Those of fixed width sort like the numbers, but BASE64URL.  Decoders are strict: what a form would not write is refused,
 * except where noted.  BASE58, BASE62 and BASE64URL need a collation that tells a from A: under a case-insensitive
 * one, different ids are equal in a database.
 *
 *   DEC         decimal, no leading zero: up to 20 digits.
 *   DEC_PADDED  decimal, 20 digits.
 *   HEX         16 digits, lower case; read in either case, and as 0x with 1 to 16 digits.
 *   CROCKFORD   13 of 0-9A-HJKMNP-TV-Z (Crockford's base 32); read in either case, I and L as 1, O as 0.
 *   BASE36      0-9a-z, no padding.
 *   BASE58      1-9a-km-zA-HJ-NP-Z (lower case first, as Flickr's), no padding.
 *   BASE62      11 of 0-9A-Za-z.
 *   BASE64URL   11: RFC 4648 section 5 without padding, of the 8 big-endian bytes.
 *   BIN         64 binary digits in groups of four, separated by spaces.
 *   BYTES       the 8 big-endian bytes, as 16 hex digits; read also with a space between bytes.
 *   HEX0X       0x and hex digits, lower case, no padding; the digits are read in either case.
 *   HEX_SHORT   hex digits, lower case, no padding; read in either case.
 *   SIGNED      decimal of the same 64 bits as a signed number, as BIGINT and Java's long have it: from 2^63 on, the
 *               id less 2^64.  No leading zero, no +.
 */
#define FRAZIL_TEXTS(X) \
    X(DEC,         0, "dec",       20) \
    X(DEC_PADDED,  1, "dec20",     20) \
    X(HEX,         2, "hex",       16) \
    X(CROCKFORD,   3, "crockford", 13) \
    X(BASE36,      4, "base36",    13) \
    X(BASE58,      5, "base58",    11) \
    X(BASE62,      6, "base62",    11) \
    X(BASE64URL,   7, "base64url", 11) \
    X(BIN,         8, "bin",       79) \
    X(BYTES,       9, "bytes",     16) \
    X(HEX0X,      10, "hex0x",     18) \
    X(HEX_SHORT,  11, "hexshort",  16) \
    X(SIGNED,     12, "signed",    20)
/* clang-format on */

/* The forms of the table, by number.  Later versions add some at the end. */
typedef enum frazil_text {
#define FRAZIL_TEXT_ENUM(identifier, number, name, room) FRAZIL_TEXT_##identifier = number,
    FRAZIL_TEXTS(FRAZIL_TEXT_ENUM)
#undef FRAZIL_TEXT_ENUM
        FRAZIL_ENUM_IS_INT(FRAZIL_TEXT)
} frazil_text;

/* How many text forms there are; they are numbered from 0. */
#define FRAZIL_TEXT_COUNT 13
FRAZIL_API size_t frazil_text_count(void);

/* Bytes that frazil_id_format can need, terminator included. */
#define FRAZIL_TEXT_SIZE 80
FRAZIL_API size_t frazil_text_size(void);

/* The form's name in the command and the manual, as the table has it; NULL for an unknown one.  Never freed. */
FRAZIL_API const char *frazil_text_name(frazil_text form);

/* The form of that name.  FRAZIL_EINVAL for an unknown one. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_text_by_name(const char *name, frazil_text *ret) FRAZIL_NONNULL(1, 2);

/*
 * Writes id in the given form and a terminator, which *ret_len does not count;
 * ret_len may be NULL.  FRAZIL_EBUFFER: size is too small.  FRAZIL_EINVAL: no such
 * form.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_id_format(frazil_text form, uint64_t id, char *buf, size_t size,
                                                    size_t *ret_len) FRAZIL_NONNULL(3);

/*
 * Reads an id of exactly len characters; text needs no terminator.
 * FRAZIL_EPARSE: wrong length, a character that the form does not have, or a
 * number above 2^64 - 1; reterr names the position, counted from 1.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_id_parse(frazil_text form, const char *text, size_t len, uint64_t *ret_id,
                                                   frazil_error *reterr) FRAZIL_NONNULL(2, 4);

/* Bytes of an id in binary. */
#define FRAZIL_BYTES_SIZE 8
FRAZIL_API size_t frazil_bytes_size(void);

/* Writes id as 8 bytes, the highest first, so that they sort as the numbers do.  Cannot fail. */
FRAZIL_API void frazil_bytes_write(uint64_t id, uint8_t ret_bytes[FRAZIL_BYTES_SIZE]) FRAZIL_NONNULL(2);

/*
 * Reads an id of exactly len bytes, the highest first; bytes may be NULL if len is 0.  FRAZIL_EPARSE: len is not 8;
 * *ret_id is then untouched.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_bytes_read(const void *bytes, size_t len, uint64_t *ret_id,
                                                     frazil_error *reterr) FRAZIL_NONNULL(3);

/* ---- numbers by hash ----------------------------------------------------------- */

/*
 * The shard of an id as konayuki computes it: CRC-32 (IEEE) of the decimal text,
 * modulo shards.  FRAZIL_EINVAL: shards is 0.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_shard(uint64_t id, uint32_t shards, uint32_t *ret) FRAZIL_NONNULL(3);

/*
 * A worker number from a host name or address as konayuki computes it: CRC-32
 * (IEEE) of the text, modulo workers.  Two hosts can get the same number.
 * FRAZIL_EINVAL: the text is empty or workers is 0.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_worker_hash(const char *text, size_t len, uint32_t workers, uint32_t *ret)
    FRAZIL_NONNULL(1, 4);

/*
 * How likely it is that two of so many hosts get the same one of so many worker
 * numbers by hash, in parts per million: the exact birthday probability, rounded
 * up, so that 0 means never.  FRAZIL_EINVAL: hosts is not from 1 to 65536 or
 * workers not from 1 to 2^32.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_worker_collision(uint32_t hosts, uint64_t workers, uint32_t *ret_ppm)
    FRAZIL_NONNULL(3);

/* ---- ids that look unlike their neighbours --------------------------------------- */

/*
 * kasumi, the scrambler that konayuki documents: each half of the id alone, its
 * own inverse.  It makes neighbouring ids look unlike and hides nothing from an
 * attacker; for that, see frazil/opaque.h.  The low 32 bits of the salt are
 * used.  FRAZIL_EINVAL: the salt is even.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_kasumi(uint64_t salt, uint64_t id, uint64_t *ret) FRAZIL_NONNULL(3);

/*
 * A new salt for kasumi: an odd number below 2^32, from `random` or, where that is NULL, from the kernel's generator.
 * Keep it: ids that were scrambled with it can be read with it alone.  FRAZIL_ESYS: the kernel gives none.  Any thread.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_salt_new(const frazil_random *random, uint64_t *ret_salt,
                                                   frazil_error *reterr) FRAZIL_NONNULL(2);

/* Characters of a scrambled id without check digits; no terminator counted. */
#define FRAZIL_KASUMI_LEN 14
FRAZIL_API size_t frazil_kasumi_len(void);
/* The same with check digits. */
#define FRAZIL_KASUMI_CHECKED_LEN 19
FRAZIL_API size_t frazil_kasumi_checked_len(void);

/*
 * The scrambled id as text: 7 base-36 digits a half, and with `checked` five
 * check digits among them.  Writes a terminator, which *ret_len does not count;
 * ret_len may be NULL.  FRAZIL_EINVAL: the salt is even.  FRAZIL_EBUFFER: size is
 * too small.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_scramble(uint64_t salt, bool checked, uint64_t id, char *buf, size_t size,
                                                   size_t *ret_len) FRAZIL_NONNULL(4);

/*
 * Back to the id.  FRAZIL_EINVAL: the salt is even.  FRAZIL_EPARSE: wrong
 * length, a character that is no lower-case base-36 digit, or a half above
 * 2^32 - 1.  FRAZIL_ECHECKSUM: the check digits do not match.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_unscramble(uint64_t salt, bool checked, const char *text, size_t len,
                                                     uint64_t *ret_id, frazil_error *reterr) FRAZIL_NONNULL(3, 5);

FRAZIL_END_DECLS

#endif
