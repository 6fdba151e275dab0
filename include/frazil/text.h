/* SPDX-License-Identifier: MIT */
/*
 * 64-bit ids as text.  Everything here is pure: no clock, no state, any thread.
 */
#ifndef FRAZIL_TEXT_H
#define FRAZIL_TEXT_H

#include "error.h"

FRAZIL_BEGIN_DECLS

/* clang-format off */
/*
 * All text forms: X(identifier, number, name, room), where room is the most characters that the form writes.  Forms of
 * fixed width sort like the numbers, except BASE64URL.  Decoders are strict: they reject text that the form would not
 * write, except as noted.  Where a form needs a case-sensitive collation, different ids are equal in a database
 * under another one.
 *
 *   DEC         decimal, no leading zero: up to 20 digits.
 *   DEC_PADDED  decimal, 20 digits.
 *   HEX         16 hex digits, lower case; read in either case, and as 0x with 1 to 16 digits.
 *   CROCKFORD   13 of 0-9A-HJKMNP-TV-Z (Crockford's base 32); read in either case, I and L as 1, O as 0.
 *   BASE36      0-9a-z, no padding.
 *   BASE58      1-9a-km-zA-HJ-NP-Z (lower case first, as Flickr's), no padding; needs a case-sensitive collation.
 *   BASE62      11 of 0-9A-Za-z; needs a case-sensitive collation.
 *   BASE64URL   11: RFC 4648 section 5 without padding, of the 8 big-endian bytes; needs a case-sensitive collation.
 *   BIN         64 binary digits in groups of four, separated by spaces.
 *   BYTES       the 8 big-endian bytes, as 16 hex digits; read also with a space between bytes.
 *   HEX0X       0x and hex digits, lower case, no padding; the digits are read in either case.
 *   HEX_SHORT   hex digits, lower case, no padding; read in either case.
 *   SIGNED      decimal of the same 64 bits as a signed number, as in BIGINT and Java's long: from 2^63 on, the
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

/* The forms of the table, by number.  Later versions may add some at the end. */
typedef enum frazil_text {
#define FRAZIL_TEXT_ENUM(identifier, number, name, room) FRAZIL_TEXT_##identifier = number,
    FRAZIL_TEXTS(FRAZIL_TEXT_ENUM)
#undef FRAZIL_TEXT_ENUM
        FRAZIL_ENUM_IS_INT(FRAZIL_TEXT)
} frazil_text;

/* Bytes that frazil_id_format can need, terminator included. */
#define FRAZIL_TEXT_SIZE 80

/*
 * The form's name in the command and the manual, as in the table; NULL for an unknown one.  Forms are numbered from 0,
 * so a program that counts up to the first NULL has seen all.  Never freed.
 */
FRAZIL_API const char *frazil_text_name(frazil_text form);

/* The form with that name.  FRAZIL_EINVAL: there is none; the message lists them, and suggests the nearest one. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_text_by_name(const char *name, frazil_text *ret, frazil_error *reterr)
    FRAZIL_NONNULL(1, 2);

/*
 * Writes id in the given form and a terminator, which *ret_len does not count;
 * ret_len may be NULL.  FRAZIL_EBUFFER: size is too small.  FRAZIL_EINVAL: no such
 * form.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_id_format(frazil_text form, uint64_t id, char *buf, size_t size,
                                                    size_t *ret_len) FRAZIL_NONNULL(3);

/*
 * Reads an id of exactly len characters; text needs no terminator.  FRAZIL_EPARSE: wrong length, a character that is
 * not in the form, or a number above 2^64 - 1; reterr's message has the position, counted from 1.  DEC names an id of
 * another system instead (a UUID, a ULID, a KSUID or an ObjectId), with the time that is in it, and has no position.
 * FRAZIL_EINVAL: no such form.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_id_parse(frazil_text form, const char *text, size_t len, uint64_t *ret_id,
                                                   frazil_error *reterr) FRAZIL_NONNULL(2, 4);

FRAZIL_END_DECLS

#endif
