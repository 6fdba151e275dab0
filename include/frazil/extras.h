/* SPDX-License-Identifier: MIT */
/*
 * Extras: what the five systems that frazil replaces did with ids besides generating them.  It covers bytes, shards,
 * numbers by hash, scrambled ids, and snos as UUIDs, in JSON and in columns.  No generator needs it.
 *
 * This is a separate library: link libfrazil-extras too (pkg-config frazil-extras).  The two-file form, frazil.c,
 * includes it.  Everything here except frazil_salt_new is pure: no clock, no state, any thread.
 */
#ifndef FRAZIL_EXTRAS_H
#define FRAZIL_EXTRAS_H

#include "clock.h"
#include "sno.h"

FRAZIL_BEGIN_DECLS

/* ---- 64-bit ids as bytes --------------------------------------------------------- */

/* Bytes of an id in binary. */
#define FRAZIL_BYTES_SIZE 8

/* Writes id as 8 bytes, big-endian, so that they sort like the numbers.  Cannot fail. */
FRAZIL_API void frazil_bytes_write(uint64_t id, uint8_t ret_bytes[FRAZIL_BYTES_SIZE]) FRAZIL_NONNULL(2);

/*
 * Reads an id of exactly len bytes, big-endian; bytes may be NULL if len is 0.  FRAZIL_EPARSE: len is not 8; *ret_id is
 * then untouched.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_bytes_read(const void *bytes, size_t len, uint64_t *ret_id,
                                                     frazil_error *reterr) FRAZIL_NONNULL(3);

/* ---- numbers by hash ----------------------------------------------------------- */

/*
 * Computes the shard of an id as konayuki does: CRC-32 (IEEE) of the decimal text, modulo shards.  FRAZIL_EINVAL:
 * shards is 0.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_shard(uint64_t id, uint32_t shards, uint32_t *ret) FRAZIL_NONNULL(3);

/*
 * Computes a worker number from a host name or address as konayuki does: CRC-32 (IEEE) of the text, modulo workers.
 * Two hosts can get the same number.  FRAZIL_EINVAL: the text is empty or workers is 0.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_worker_hash(const char *text, size_t len, uint32_t workers, uint32_t *ret)
    FRAZIL_NONNULL(1, 4);

/*
 * Computes the probability that two of `hosts` hosts share one of `workers` worker numbers by hash, in parts per
 * million.  It is the exact birthday probability, rounded up, so 0 means never.  FRAZIL_EINVAL: hosts is not from 1 to
 * 65536 or workers not from 1 to 2^32.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_worker_collision(uint32_t hosts, uint64_t workers, uint32_t *ret_ppm)
    FRAZIL_NONNULL(3);

/* ---- scrambled ids --------------------------------------------------------------- */

/*
 * kasumi, the scrambler that konayuki documents: it scrambles each half of the id separately, and is its own inverse.
 * It makes neighbouring ids look unrelated, but an attacker can undo it; for secrecy, see frazil/opaque.h.  The low 32
 * bits of the salt are used.  FRAZIL_EINVAL: the salt is even.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_kasumi(uint64_t salt, uint64_t id, uint64_t *ret) FRAZIL_NONNULL(3);

/*
 * Creates a salt for kasumi: an odd number below 2^32, from `random` or, if that is NULL, from the kernel's generator.
 * Keep it: ids that were scrambled with it can be read only with it.  FRAZIL_ESYS: the kernel gives none.
 * FRAZIL_EINVAL: `random` has a wrong size, or lacks next.  Any thread.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_salt_new(const frazil_random *random, uint64_t *ret_salt,
                                                   frazil_error *reterr) FRAZIL_NONNULL(2);

/* Characters of a scrambled id without check digits and terminator. */
#define FRAZIL_KASUMI_LEN 14

/* The same with check digits. */
#define FRAZIL_KASUMI_CHECKED_LEN 19

/* For frazil_scramble and frazil_unscramble: the text has check digits, which detect typing errors. */
#define FRAZIL_KASUMI_CHECKED UINT32_C(1)

/*
 * Writes the scrambled id as text: 7 base-36 digits per half, and five check digits among them if flags has
 * FRAZIL_KASUMI_CHECKED.  Writes a terminator, which *ret_len does not count; ret_len may be NULL.  FRAZIL_EINVAL: the
 * salt is even, or an unknown flag.  FRAZIL_EBUFFER: size is too small.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_scramble(uint64_t salt, uint32_t flags, uint64_t id, char *buf, size_t size,
                                                   size_t *ret_len) FRAZIL_NONNULL(4);

/*
 * Reads the id back.  FRAZIL_EINVAL: the salt is even, or an unknown flag.  FRAZIL_EPARSE: wrong length, a character
 * that is not a lower-case base-36 digit, or a half above 2^32 - 1.  FRAZIL_ECHECKSUM: the check digits do not match.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_unscramble(uint64_t salt, uint32_t flags, const char *text, size_t len,
                                                     uint64_t *ret_id, frazil_error *reterr) FRAZIL_NONNULL(3, 5);

/* ---- snos as UUIDs ----------------------------------------------------------- */
/*
 * A sno as a UUID of version 8 (RFC 9562), for columns and interfaces that accept only UUIDs.  Its 80 bits fill the
 * free bits of the UUID from the highest down, and the other 42 are zero.  UUIDs sort like the snos, and no bit is
 * lost.
 */

#define FRAZIL_UUID_SIZE 16 /* bytes of a UUID */
#define FRAZIL_UUID_LEN 36  /* characters of its text */

/* Writes the UUID of a sno.  Cannot fail. */
FRAZIL_API void frazil_sno_to_uuid(const frazil_sno *id, uint8_t ret_uuid[FRAZIL_UUID_SIZE]) FRAZIL_NONNULL(1, 2);

/*
 * Reads the sno from a UUID of exactly len bytes.  FRAZIL_EPARSE: len is not 16, or it is not the UUID of a sno:
 * another version or variant, or one of the 42 bits is not zero.  bytes may be NULL if len is 0.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_from_uuid(const void *bytes, size_t len, frazil_sno *ret,
                                                        frazil_error *reterr) FRAZIL_NONNULL(3);

/*
 * Writes the UUID of a sno as text, 8-4-4-4-12 lower-case hex digits, and a terminator, which *ret_len does not count;
 * ret_len may be NULL.  FRAZIL_EBUFFER: size is below 37; then nothing is written.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_uuid_format(const frazil_sno *id, char *buf, size_t size, size_t *ret_len)
    FRAZIL_NONNULL(1, 2);

/* Reads such a text of exactly len characters, in either case.  FRAZIL_EPARSE, with the position. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_uuid_parse(const char *text, size_t len, frazil_sno *ret,
                                                         frazil_error *reterr) FRAZIL_NONNULL(1, 3);

/* ---- snos in JSON and in columns of databases ----------------------------------- */

/* Bytes that frazil_sno_to_json can need, terminator included. */
#define FRAZIL_SNO_JSON_SIZE 19

/*
 * Writes the JSON value of a sno, a string, or null for the zero sno, and a terminator, which *ret_len does not count;
 * ret_len may be NULL.  FRAZIL_EBUFFER.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_to_json(const frazil_sno *id, char *buf, size_t size, size_t *ret_len)
    FRAZIL_NONNULL(1, 2);

/* Reads such a value; null gives the zero sno.  FRAZIL_EPARSE. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_from_json(const char *text, size_t len, frazil_sno *ret,
                                                        frazil_error *reterr) FRAZIL_NONNULL(1, 3);

/*
 * Reads a sno from a database column, which holds either its ten bytes or its sixteen characters, told apart by the
 * length; an empty one (len 0) is the zero sno.  FRAZIL_EPARSE.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_from_column(const void *data, size_t len, frazil_sno *ret,
                                                          frazil_error *reterr) FRAZIL_NONNULL(3);

FRAZIL_END_DECLS

#endif
