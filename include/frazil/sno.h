/* SPDX-License-Identifier: MIT */
/*
 * Snos: 80-bit ids, ten bytes big-endian, sixteen characters that sort alike.
 *
 *   39 bits time in units of 4 ms since 2010-01-01, 1 bit tick-tock,
 *   8 bits metabyte, 16 bits partition, 16 bits sequence.
 *
 * Everything here is pure: no clock, no state, any thread.  Generating snos is in generator.h.
 */
#ifndef FRAZIL_SNO_H
#define FRAZIL_SNO_H

#include "error.h"

FRAZIL_BEGIN_DECLS

#define FRAZIL_SNO_SIZE 10 /* bytes of a sno */
FRAZIL_API size_t frazil_sno_size(void);
#define FRAZIL_SNO_LEN 16 /* characters of its text */
FRAZIL_API size_t frazil_sno_len(void);

/* A sno, by value: ten bytes, which do not grow. */
typedef struct frazil_sno {
    uint8_t bytes[FRAZIL_SNO_SIZE]; /* big-endian: they sort as the text does */
} frazil_sno;

/* The fields of a sno, in 24 bytes. */
typedef struct frazil_sno_fields {
    int64_t unix_ms;      /* start of the 4 ms unit */
    uint8_t ticktock;     /* 0 or 1: toggled when the clock went back */
    uint8_t meta;         /* the metabyte: a byte of the caller's */
    uint16_t partition;   /* its first byte is the high one */
    uint16_t sequence;    /* number within the unit */
    uint8_t reserved[10]; /* 0 */
} frazil_sno_fields;

/*
 * The sno of the given fields; unix_ms is rounded down to its unit.
 * FRAZIL_ERANGE: time before 2010-01-01T00:00:00Z or after
 * 2079-09-07T15:47:35.551Z, or ticktock above 1.  FRAZIL_EINVAL: a reserved member is not 0.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_compose(const frazil_sno_fields *fields, frazil_sno *ret,
                                                      frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/* The fields of a sno.  Every ten bytes are one: cannot fail. */
FRAZIL_API void frazil_sno_decompose(const frazil_sno *id, frazil_sno_fields *ret) FRAZIL_NONNULL(1, 2);

/* Writes the 16 characters of 2-9a-x; no terminator.  Cannot fail. */
FRAZIL_API void frazil_sno_encode(const frazil_sno *id, char ret_text[FRAZIL_SNO_LEN]) FRAZIL_NONNULL(1, 2);

/*
 * Reads a sno of exactly len characters; text needs no terminator.  FRAZIL_EPARSE: there are not 16, or one of them is
 * not in 2-9a-x; reterr names the position, and *ret_id is untouched.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_decode(const char *text, size_t len, frazil_sno *ret_id,
                                                     frazil_error *reterr) FRAZIL_NONNULL(1, 3);

/* Negative, 0 or positive as a sorts before, with or after b; the order of the bytes is that of the text. */
FRAZIL_API int frazil_sno_compare(const frazil_sno *a, const frazil_sno *b) FRAZIL_NONNULL(1, 2);

/* Whether all ten bytes are zero: the sno that stands for "none". */
FRAZIL_API bool frazil_sno_is_zero(const frazil_sno *id) FRAZIL_NONNULL(1);

/*
 * Smallest and largest sno of the units from that of from_unix_ms to that of
 * to_unix_ms, both included, over every tick-tock, metabyte, partition and
 * sequence.  Errors as frazil_id_range.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_range(int64_t from_unix_ms, int64_t to_unix_ms, frazil_sno *ret_first,
                                                    frazil_sno *ret_last, frazil_error *reterr) FRAZIL_NONNULL(3, 4);

/* ---- partitions of snos as text -------------------------------------------- */

/* Bytes that frazil_sno_partition_format can need, terminator included. */
#define FRAZIL_SNO_PARTITION_SIZE 8
FRAZIL_API size_t frazil_sno_partition_size(void);

/*
 * Writes the two bytes of a partition and a terminator: a letter as itself, any other byte as a number, with a comma
 * between them, as in "A,10".  *ret_len counts no terminator; ret_len may be NULL.  FRAZIL_EBUFFER: size is too small;
 * then nothing is written.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_partition_format(uint16_t partition, char *buf, size_t size,
                                                               size_t *ret_len) FRAZIL_NONNULL(2);

/*
 * Reads a partition of exactly len characters: a number from 0 to 65535, or two bytes with a comma between them, each a
 * number, a letter or a character in '...'; also as the Go library's source has it, {'A', 10}.  FRAZIL_EPARSE: it is
 * none; FRAZIL_ERANGE: a number above 65535.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_partition_parse(const char *text, size_t len, uint16_t *ret_partition,
                                                              frazil_error *reterr) FRAZIL_NONNULL(1, 3);

/* ---- snos as UUIDs ----------------------------------------------------------- */
/*
 * A sno as a UUID of version 8 (RFC 9562), for columns and interfaces that take nothing else: its 80 bits fill the
 * free bits of the UUID from the highest on, and the 42 that are left are zero.  UUIDs sort as the snos do, and no bit
 * is lost.
 */

#define FRAZIL_UUID_SIZE 16 /* bytes of a UUID */
FRAZIL_API size_t frazil_uuid_size(void);
#define FRAZIL_UUID_LEN 36 /* characters of its text */
FRAZIL_API size_t frazil_uuid_len(void);

/* Writes the UUID of a sno.  Cannot fail. */
FRAZIL_API void frazil_sno_to_uuid(const frazil_sno *id, uint8_t ret_uuid[FRAZIL_UUID_SIZE]) FRAZIL_NONNULL(1, 2);

/*
 * The sno of a UUID of exactly len bytes.  FRAZIL_EPARSE: len is not 16, or it is not the UUID of a sno: another
 * version or variant, or a bit that is not zero.  bytes may be NULL if len is 0.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_from_uuid(const void *bytes, size_t len, frazil_sno *ret,
                                                        frazil_error *reterr) FRAZIL_NONNULL(3);

/*
 * Writes the UUID of a sno as text, 8-4-4-4-12 lower-case hex digits, and a terminator, which *ret_len does not count;
 * ret_len may be NULL.  FRAZIL_EBUFFER: size is not above 36; then nothing is written.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_uuid_format(const frazil_sno *id, char *buf, size_t size, size_t *ret_len)
    FRAZIL_NONNULL(1, 2);

/* Reads such a text of exactly len characters, its digits in either case.  FRAZIL_EPARSE, with the position. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_uuid_parse(const char *text, size_t len, frazil_sno *ret,
                                                         frazil_error *reterr) FRAZIL_NONNULL(1, 3);

/* ---- snos in JSON and in columns of databases ----------------------------------- */

/* Bytes that frazil_sno_to_json can need, terminator included. */
#define FRAZIL_SNO_JSON_SIZE 19
FRAZIL_API size_t frazil_sno_json_size(void);

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
 * Reads a sno from a database column, which holds either its ten bytes or its
 * sixteen characters, told apart by the length; nothing (len 0) is the zero sno.
 * FRAZIL_EPARSE.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_from_column(const void *data, size_t len, frazil_sno *ret,
                                                          frazil_error *reterr) FRAZIL_NONNULL(3);

FRAZIL_END_DECLS

#endif
