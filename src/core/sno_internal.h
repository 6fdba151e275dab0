/* SPDX-License-Identifier: MIT */
/*
 * The time scale of snos, their text within another, and snapshots of their generators.
 */
#ifndef FZ_CORE_SNO_INTERNAL_H
#define FZ_CORE_SNO_INTERNAL_H

#include "frazil/sno.h"

#define FZ_SNO_UNIT_MS 4
#define FZ_SNO_UNITS (INT64_C(1) << 39)        /* how many there are */
#define FZ_SNO_EPOCH_MS INT64_C(1262304000000) /* 2010-01-01T00:00:00Z */
#define FZ_SNO_LAST_MS (FZ_SNO_EPOCH_MS + FZ_SNO_UNITS * FZ_SNO_UNIT_MS - 1)

/* The state of a sno generator.  Times are units since the epoch. */
struct fz_snapshot {
    uint8_t partition[2];  /* the high byte first */
    uint16_t sequence_min; /* the lowest number that the sequence takes */
    uint16_t sequence_max; /* the highest */
    uint32_t sequence;     /* last one issued in the unit wall_hi; 0 means sequence_min */
    int64_t now;           /* when the snapshot was taken */
    int64_t wall_hi;       /* the unit of the last sno */
    int64_t wall_safe;     /* the clock may not go back to this or below it without waiting; 0: never went back */
    uint32_t drifts;       /* how often the tick-tock bit was toggled */
};

/* Writes it as frazil_sno_snapshot does. */
FZ_PRIVATE frazil_err fz_snapshot_format(const struct fz_snapshot *snapshot, char *buf, size_t size, size_t *ret_len);

/* Reads it as frazil_options_snapshot does. */
FZ_PRIVATE frazil_err fz_snapshot_parse(const char *text, size_t len, struct fz_snapshot *ret, frazil_error *reterr);

/* frazil_sno_decode of a text that stands `offset` characters into what the user gave. */
FZ_PRIVATE frazil_err fz_sno_decode_at(const char *text, size_t len, size_t offset, frazil_sno *ret,
                                       frazil_error *reterr);

#endif
