/* SPDX-License-Identifier: MIT */
/*
 * Snos: 80-bit ids, as ten big-endian bytes or as sixteen characters, which sort alike.
 *
 *   39 bits time in units of 4 ms since 2010-01-01, 1 bit tick-tock,
 *   8 bits metabyte, 16 bits partition, 16 bits sequence.
 *
 * Everything here is pure: no clock, no state, any thread.  generator.h generates snos; frazil/extras.h converts them
 * to UUIDs and JSON.  memcmp of the bytes sorts snos like their texts; ten zero bytes mean "none".
 */
#ifndef FRAZIL_SNO_H
#define FRAZIL_SNO_H

#include "error.h"

FRAZIL_BEGIN_DECLS

#define FRAZIL_SNO_SIZE 10 /* bytes of a sno */
#define FRAZIL_SNO_LEN 16  /* characters of its text */

/* A sno, by value: ten bytes, which do not grow. */
typedef struct frazil_sno {
    uint8_t bytes[FRAZIL_SNO_SIZE]; /* big-endian: they sort like the text */
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
 * Composes the sno of the given fields; unix_ms is rounded down to its unit.  FRAZIL_ERANGE: time before
 * 2010-01-01T00:00:00Z or after 2079-09-07T15:47:35.551Z, or ticktock above 1.  FRAZIL_EINVAL: a reserved member is not
 * 0.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_compose(const frazil_sno_fields *fields, frazil_sno *ret,
                                                      frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/* Splits a sno into its fields.  Any ten bytes are a sno: cannot fail. */
FRAZIL_API void frazil_sno_decompose(const frazil_sno *id, frazil_sno_fields *ret) FRAZIL_NONNULL(1, 2);

/* Writes 16 characters from 2-9a-x; no terminator.  Cannot fail. */
FRAZIL_API void frazil_sno_encode(const frazil_sno *id, char ret_text[FRAZIL_SNO_LEN]) FRAZIL_NONNULL(1, 2);

/*
 * Reads a sno of exactly len characters; text needs no terminator.  FRAZIL_EPARSE: len is not 16, or a character is not
 * in 2-9a-x; reterr has the position, and *ret_id is untouched.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_decode(const char *text, size_t len, frazil_sno *ret_id,
                                                     frazil_error *reterr) FRAZIL_NONNULL(1, 3);

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

/*
 * Writes the two bytes of a partition and a terminator: a letter as itself, any other byte as a number, with a comma
 * between them, as in "A,10".  *ret_len counts no terminator; ret_len may be NULL.  FRAZIL_EBUFFER: size is too small;
 * then nothing is written.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_partition_format(uint16_t partition, char *buf, size_t size,
                                                               size_t *ret_len) FRAZIL_NONNULL(2);

/*
 * Reads a partition of exactly len characters: a number from 0 to 65535, or two bytes with a comma between them, each a
 * number, a letter or a character in '...'; also as the Go library writes it, {'A', 10}.  FRAZIL_EPARSE: it is not a
 * partition; FRAZIL_ERANGE: a number above 65535.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_partition_parse(const char *text, size_t len, uint16_t *ret_partition,
                                                              frazil_error *reterr) FRAZIL_NONNULL(1, 3);

FRAZIL_END_DECLS

#endif
