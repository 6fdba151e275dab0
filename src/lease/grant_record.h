/* SPDX-License-Identifier: MIT */
/*
 * The record of a worker in a host's grant file, and its 512 bytes.
 *
 *     0  "fzgrant", 0
 *     8  version of the format     16  sequence        24  worker
 *    32  owner's nonce             40  owner's place  48  owner's process
 *    56  floor                     64  until
 *    72  number of ranges          80  16 ranges: first, last
 *   336  fingerprint of the layout, filled up with zeros
 *   432  least sequence number    440  largest one       448  zeros
 *   508  CRC-32 of all before it
 *
 * All numbers have eight bytes, the lowest first, so that a volume can move to
 * another machine.  Magic, version and checksum will keep their places in later
 * versions, so that an older library can tell a newer file from a damaged one.
 * 32 bits of checksum are enough: what it must tell is a sector half old and half
 * new, once in a crash; and a slot counts only if its numbers make sense, too.
 */
#ifndef FZ_LEASE_GRANT_RECORD_H
#define FZ_LEASE_GRANT_RECORD_H

#include "frazil/layout.h"
#include "used_ticks.h"

#define FZ_GRANT_SLOT_SIZE 512
#define FZ_GRANT_VERSION 1

struct fz_grant_record {
    uint64_t sequence; /* grows by one with each write */
    uint64_t worker;   /* below 2^32 */
    uint64_t nonce;    /* of the word that owns the grant; 0: none */
    uint64_t place;    /* of that word's file; 0: it is in no file */
    uint64_t pid;      /* of the process that wrote it, for sentences; 0: nobody has it any more */
    uint64_t floor;
    uint64_t until;            /* the present or the last grant: floor to until, all of it used */
    struct fz_used_ticks used; /* this grant and those before it */
    char fingerprint[FRAZIL_FINGERPRINT_SIZE];
    uint64_t seq_min; /* the sequence numbers that it is for; below 2^32 */
    uint64_t seq_max;
};

enum fz_grant_slot {
    FZ_GRANT_SLOT_VALID,
    FZ_GRANT_SLOT_BAD, /* never written, written half, damaged, or something else altogether */
    FZ_GRANT_SLOT_OTHER_VERSION
};

/* Whether a record makes sense: ranges in order, the grant used, a fingerprint that ends, bounds in order. */
FZ_PRIVATE bool fz_grant_record_is_valid(const struct fz_grant_record *record);

/* Writes a valid record as a slot. */
FZ_PRIVATE void fz_grant_record_encode(const struct fz_grant_record *record, unsigned char slot[FZ_GRANT_SLOT_SIZE]);

/*
 * Reads a slot, exactly or not at all.  *ret is set if it is valid; *ret_version
 * if it is whole, but of another version.
 */
FZ_PRIVATE enum fz_grant_slot fz_grant_record_decode(const unsigned char slot[FZ_GRANT_SLOT_SIZE],
                                                     struct fz_grant_record *ret, uint64_t *ret_version);

#endif
