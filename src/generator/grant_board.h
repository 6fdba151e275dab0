/* SPDX-License-Identifier: MIT */
/*
 * The board on which the grant in force stands, in memory that all processes of
 * a generator share.
 *
 * Extending a grant moves its end: one store.  Replacing it (another worker, or a
 * gap) writes a new entry and then its number.  Entries are used in turns, so that a
 * writer that dies between the two leaves the old grant standing, and a reader
 * that was held up reads an entry that has long been out of use but not yet
 * written again; should it have been, the number tells.
 */
#ifndef FZ_GENERATOR_GRANT_BOARD_H
#define FZ_GENERATOR_GRANT_BOARD_H

#include <stdatomic.h>

#include "lease/granter.h"

#ifndef FZ_GRANT_ENTRIES /* the memory model, which has little time, has fewer */
#define FZ_GRANT_ENTRIES 8
#endif

struct fz_grant_board {
    _Atomic uint64_t number; /* of the grant in force; it stands in entries[number % FZ_GRANT_ENTRIES] */
    struct {
        _Atomic uint64_t worker;
        _Atomic uint64_t floor;
        _Atomic uint64_t until;
        _Atomic uint64_t version;
    } entries[FZ_GRANT_ENTRIES];
};

/* Reads the grant in force.  Any thread, any process. */
struct fz_grant fz_grant_board_read(const struct fz_grant_board *board);

/* Puts a grant in force that continues the present one: the same worker and floor.  One writer at a time. */
void fz_grant_board_extend(struct fz_grant_board *board, const struct fz_grant *grant);

/* Puts another grant in force.  One writer at a time. */
void fz_grant_board_replace(struct fz_grant_board *board, const struct fz_grant *grant);

#endif
