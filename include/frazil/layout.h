/* SPDX-License-Identifier: MIT */
/*
 * Layouts: where the fields of an id lie, and the arithmetic on ids that needs
 * nothing else.  Everything here is pure: no clock, no state, any thread.
 *
 * A layout is written as one text: a preset's name ("twitter"), or a description of the fields from high to low.
 * "41/10/12" is time, worker, sequence.  "41/5+5/12" splits the worker into datacenter and worker.  "39/8s/16w" names
 * fields by the letters t, w, s, for another order.
 *
 * Keys may follow, separated by spaces: "epoch=2026-01-01T00:00:00Z" or
 * "epoch=1767225600000" (Unix ms), and "tick=10ms".  They override a preset's.
 * Defaults of a description: epoch 2026-01-01T00:00:00Z, tick 1ms.
 */
#ifndef FRAZIL_LAYOUT_H
#define FRAZIL_LAYOUT_H

#include "error.h"

FRAZIL_BEGIN_DECLS

/* The type of ids. */
typedef enum frazil_layout_kind {
    FRAZIL_LAYOUT_64 = 0,  /* ids are uint64_t */
    FRAZIL_LAYOUT_SNO = 1, /* ids are frazil_sno, see sno.h; the fields are fixed */
    FRAZIL_ENUM_IS_INT(FRAZIL_LAYOUT)
} frazil_layout_kind;

/* Bytes of frazil_layout.name, terminator included. */
#define FRAZIL_LAYOUT_NAME_SIZE 16

/*
 * A layout by value, in 64 bytes.  frazil_layout_parse makes one from a text.  A program that has numbers fills one by
 * hand, names it "custom", and has frazil_layout_validate check it.  Time is always the highest field.  Bits above the
 * fields are zero in every id.
 */
typedef struct frazil_layout {
    char name[FRAZIL_LAYOUT_NAME_SIZE]; /* the preset whose fields these are, or "custom" */
    int64_t epoch_unix_ms;              /* when tick 0 began */
    uint32_t kind;                      /* 64-bit ids or snos, a frazil_layout_kind */
    uint32_t tick_ms;                   /* length of a tick in ms, 1 .. 86400000 */
    uint8_t time_bits;                  /* 1 .. 63 */
    uint8_t worker_bits;                /* 0 .. 32, datacenter included */
    uint8_t datacenter_bits;            /* high bits of the worker, 0 where it is not split */
    uint8_t sequence_bits;              /* 1 .. 32 */
    uint8_t sequence_above_worker;      /* 1: sequence lies above the worker; else 0; ignored with worker_bits 0 */
    uint8_t reserved[27];               /* 0 */
} frazil_layout;

/* The fields of one id, in 32 bytes. */
typedef struct frazil_fields {
    int64_t unix_ms;               /* start of the id's tick */
    uint32_t worker;               /* the whole number, datacenter included */
    uint32_t sequence;             /* within the tick */
    uint32_t datacenter;           /* of the worker; 0 where the layout does not split it */
    uint32_t worker_in_datacenter; /* the number itself where the layout does not split it */
    uint32_t reserved[2];          /* 0 */
} frazil_fields;

/* The capacity and the life of a layout. */
typedef struct frazil_layout_info {
    uint64_t workers;               /* how many worker ids there are */
    uint64_t ids_per_tick;          /* for one worker */
    uint64_t ids_per_second;        /* for one worker, rounded down */
    int64_t first_unix_ms;          /* the epoch */
    int64_t last_unix_ms;           /* start of the last tick: the last instant an id can carry */
    uint64_t max_id;                /* largest id; 0 for sno */
    int64_t sign_bit_unix_ms;       /* from this instant on ids are negative as signed numbers; 0: never */
    uint32_t total_bits;            /* bits in use, at most 64 (80 for sno) */
    uint8_t reaches_sign_bit;       /* 1: ids become negative as signed 64-bit numbers; else 0 */
    uint8_t fits_53_bits;           /* 1: every id is exact in a double, for the layout's whole life; else 0 */
    uint8_t reserved[2];            /* 0 */
    uint64_t datacenters;           /* how many the worker is split into; 1 where it is not split */
    uint64_t workers_in_datacenter; /* worker = datacenter * workers_in_datacenter + worker_in_datacenter */
} frazil_layout_info;

/*
 * Parses a layout's text (see above) of exactly len characters; text needs no terminator.  Fails with FRAZIL_ELAYOUT
 * and the position of the error; *ret is then untouched.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_layout_parse(const char *text, size_t len, frazil_layout *ret,
                                                       frazil_error *reterr) FRAZIL_NONNULL(1, 3);

/*
 * Whether two valid layouts make equal ids from equal fields.  Their names, how they split the worker, and how many
 * bits of time they have do not matter: "twitter" and "40/10/12 epoch=1288834974657" are equal.
 */
FRAZIL_API bool frazil_layout_equal(const frazil_layout *a, const frazil_layout *b) FRAZIL_NONNULL(1, 2);

/*
 * Checks a layout.  FRAZIL_OK if all of this holds, else FRAZIL_ELAYOUT:
 * - The name is "custom", or that of a preset with these fields.
 * - Each width is in its range, together they have at most 64 bits, and a datacenter leaves the worker at least one
 *   bit.
 * - The tick is in its range, the epoch between the years 0 and 9999, and the last tick ends within int64_t
 *   milliseconds.
 * - A sno has the fields, epoch and tick of the preset.
 * - sequence_above_worker is 0 or 1, and the reserved bytes are 0.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_layout_validate(const frazil_layout *layout, frazil_error *reterr)
    FRAZIL_NONNULL(1);

/* Preset number i, counted from 0, in the order of the manual; NULL past the end.  Never freed. */
FRAZIL_API const frazil_layout *frazil_layout_preset(size_t i);

/* Fills ret with the capacity and the life of a valid layout.  size is sizeof *ret (frazil.h).  Cannot fail. */
FRAZIL_API void frazil_layout_get_info(const frazil_layout *layout, frazil_layout_info *ret, size_t size)
    FRAZIL_NONNULL(1, 2);

/* Bytes that frazil_layout_fingerprint can need, terminator included. */
#define FRAZIL_FINGERPRINT_SIZE 96

/*
 * Writes the layout's stable text form, which frazil_layout_parse accepts: "41/5+5/12 epoch=1288834974657 tick=1ms";
 * "sno" for sno.  It has all members except the name, and sequence_above_worker where that is ignored.  It will not
 * change in later versions, because coordinators store it.  Layouts with one fingerprint make equal ids, but so may
 * layouts with different ones: compare layouts with frazil_layout_equal.  *ret_len counts no terminator; ret_len may be
 * NULL.  FRAZIL_EBUFFER: size is too small; then nothing is written.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_layout_fingerprint(const frazil_layout *layout, char *buf, size_t size,
                                                             size_t *ret_len) FRAZIL_NONNULL(1, 2);

/* ---- ids and their fields ---------------------------------------------------- */

/*
 * Composes the id of the given fields.  unix_ms is rounded down to its tick.  Only the whole worker number counts:
 * datacenter and worker_in_datacenter are ignored, so decomposed fields can be composed again.  FRAZIL_ERANGE: a field
 * does not fit (before the epoch, after the last instant, worker or sequence too large).  FRAZIL_EKIND: the layout is
 * sno.  FRAZIL_EINVAL: a reserved member is not 0.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_id_compose(const frazil_layout *layout, const frazil_fields *fields,
                                                     uint64_t *ret_id, frazil_error *reterr) FRAZIL_NONNULL(1, 2, 3);

/*
 * Splits an id into its fields.  FRAZIL_ERANGE: bits above the layout's fields are set, so it is not an id of this
 * layout.  FRAZIL_EKIND: the layout is sno.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_id_decompose(const frazil_layout *layout, uint64_t id, frazil_fields *ret,
                                                       frazil_error *reterr) FRAZIL_NONNULL(1, 3);

/*
 * The smallest id of the tick of unix_ms, for ranges in databases: ids of the time from `from` until before `to` are >=
 * frazil_id_first(from) and < frazil_id_first(to).  0 before the epoch; after the layout's end the number above its
 * largest id, or UINT64_MAX if there is none.  0 for sno.  Cannot fail.
 */
FRAZIL_API uint64_t frazil_id_first(const frazil_layout *layout, int64_t unix_ms) FRAZIL_NONNULL(1);

/*
 * The smallest and the largest id that any worker can have issued from the tick of from_unix_ms to that of to_unix_ms,
 * both included.  They fit "WHERE id BETWEEN first AND last".  FRAZIL_EINVAL: from is after to.  FRAZIL_ERANGE: an end
 * lies outside the layout's life.  FRAZIL_EKIND: sno.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_id_range(const frazil_layout *layout, int64_t from_unix_ms,
                                                   int64_t to_unix_ms, uint64_t *ret_first, uint64_t *ret_last,
                                                   frazil_error *reterr) FRAZIL_NONNULL(1, 4, 5);

/* ---- moving to another layout ------------------------------------------------ */

/* Whether a system can move from one layout to another; see frazil_layout_overlap. */
typedef struct frazil_overlap {
    uint64_t old_last;    /* the largest id that the old layout can have issued before the change; 0 at its epoch */
    uint64_t new_first;   /* the smallest id that the new layout can issue from the change on */
    int64_t safe_unix_ms; /* the first instant, since or later, from which every new id is above every old one */
    uint8_t can_collide;  /* 1: a new id can equal an old one; else 0 */
    uint8_t can_missort;  /* 1: a new id can sort before an old one; else 0 */
    uint8_t ever_safe;    /* 1: new ids will exceed old_last within the layout's life; else 0 */
    uint8_t reserved[5];  /* 0 */
} frazil_overlap;

/*
 * Checks whether ids can collide or sort wrongly if all generators use the layout `before` until just before
 * since_unix_ms, and `after` from then on.  Bits are dense, so any number below old_last may have been issued.
 * `before` may have ended by then; from the start of its last tick on, all of its ids count as issued.  FRAZIL_ERANGE:
 * since lies before the epoch of `before` or outside the life of `after`; the message says which.  FRAZIL_EKIND:
 * exactly one of the two is sno (their ids cannot be compared; two snos never overlap in this sense: FRAZIL_OK with
 * only ever_safe set).  size is sizeof *ret (frazil.h).
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_layout_overlap(const frazil_layout *before, const frazil_layout *after,
                                                         int64_t since_unix_ms, frazil_overlap *ret, size_t size,
                                                         frazil_error *reterr) FRAZIL_NONNULL(1, 2, 4);

FRAZIL_END_DECLS

#endif
