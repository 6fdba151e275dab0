/* SPDX-License-Identifier: MIT */
/*
 * Layouts: where the fields of an id lie, and the arithmetic on ids that needs
 * nothing else.  Everything here is pure: no clock, no state, any thread, safe
 * in a signal handler.
 *
 * A layout is written as one text: a preset's name ("twitter"), or a
 * description of the fields from high to low ("41/10/12": time, worker,
 * sequence; "41/5+5/12": the worker split into datacenter and worker;
 * "39/8s/16w": letters t, w, s name the fields where the order is another),
 * followed by keys separated by spaces: "epoch=2026-01-01T00:00:00Z" or
 * "epoch=1767225600000" (Unix ms), "tick=10ms".  A preset's epoch and tick can
 * be overridden by the same keys.  Defaults of a description: epoch
 * 2026-01-01T00:00:00Z, tick 1ms.
 */
#ifndef FRAZIL_LAYOUT_H
#define FRAZIL_LAYOUT_H

#include "error.h"

FRAZIL_BEGIN_DECLS

/* Which type ids have. */
typedef enum frazil_layout_kind {
    FRAZIL_LAYOUT_64 = 0, /* ids are uint64_t */
    FRAZIL_LAYOUT_SNO = 1 /* ids are frazil_sno, see sno.h; the fields are fixed */
} frazil_layout_kind;

/* Bytes of frazil_layout.name, terminator included. */
#define FRAZIL_LAYOUT_NAME_SIZE 16

/*
 * A layout by value.  Make one with frazil_layout_parse; one that is filled by
 * hand is checked by frazil_layout_validate.  Time is always the highest field;
 * bits above the fields are zero in every id.
 */
typedef struct frazil_layout {
    char name[FRAZIL_LAYOUT_NAME_SIZE]; /* the preset, or "custom" */
    frazil_layout_kind kind;            /* 64-bit ids or snos */
    int64_t epoch_unix_ms;              /* when tick 0 began */
    uint32_t tick_ms;                   /* length of a tick in ms, 1 .. 86400000 */
    uint8_t time_bits;                  /* 1 .. 63 */
    uint8_t worker_bits;                /* 0 .. 32, datacenter included */
    uint8_t datacenter_bits;            /* high bits of the worker, 0 where it is not split */
    uint8_t sequence_bits;              /* 1 .. 32 */
    bool sequence_above_worker;         /* sequence lies above the worker */
} frazil_layout;

/* The fields of one id. */
typedef struct frazil_parts {
    int64_t unix_ms;   /* start of the id's tick */
    uint32_t worker;   /* the whole number, datacenter included */
    uint32_t sequence; /* within the tick */
} frazil_parts;

/* What a layout can hold. */
typedef struct frazil_layout_info {
    uint8_t total_bits;       /* bits in use, 64 at most (80 for sno) */
    uint64_t workers;         /* how many worker ids there are */
    uint64_t ids_per_tick;    /* for one worker */
    uint64_t ids_per_second;  /* for one worker, rounded down */
    int64_t first_unix_ms;    /* the epoch */
    int64_t last_unix_ms;     /* start of the last tick: the last instant an id can carry */
    uint64_t max_id;          /* largest id; 0 for sno */
    bool reaches_sign_bit;    /* ids become negative as signed 64-bit numbers */
    int64_t sign_bit_unix_ms; /* from this instant on; 0 where it never happens */
    bool fits_53_bits;        /* every id is exact in a double, for the layout's whole life */
} frazil_layout_info;

/*
 * Parses a layout's text (see above).  Fails with FRAZIL_ELAYOUT; *out is then
 * untouched.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_layout_parse(const char *text, frazil_layout *out) FRAZIL_NONNULL(1, 2);

/* The same, and says why it failed. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_layout_parse_explain(const char *text, frazil_layout *ret,
                                                               frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/*
 * Checks a layout: a name with a terminator, widths in their ranges and 64 bits
 * at most together, a datacenter that leaves the worker at least one bit, a tick
 * in its range, an epoch between the years 0 and 9999, and a last tick that ends
 * within int64_t milliseconds; the preset's fields, epoch and tick for a sno.
 * FRAZIL_OK or FRAZIL_ELAYOUT.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_layout_validate(const frazil_layout *layout, frazil_error *reterr)
    FRAZIL_NONNULL(1);

/* How many presets there are. */
FRAZIL_API size_t frazil_layout_preset_count(void);

/* The preset number i, counted from 0, in the order of the manual; NULL past the end.  Never freed. */
FRAZIL_API const frazil_layout *frazil_layout_preset(size_t i);

/* What a valid layout can hold.  Cannot fail. */
FRAZIL_API void frazil_layout_describe(const frazil_layout *layout, frazil_layout_info *ret) FRAZIL_NONNULL(1, 2);

/* Bytes that frazil_layout_fingerprint can need, terminator included. */
#define FRAZIL_FINGERPRINT_SIZE 96

/*
 * The layout's stable text form, which names everything that decides where a
 * field lies and nothing else: equal fields give equal ids in two layouts if and
 * only if their fingerprints are equal.  It is itself a text that frazil_layout_parse takes:
 * "41/5+5/12 epoch=1288834974657 tick=1ms"; "sno" for sno.  It will not change
 * in later versions, because it is kept in state files and coordinators.
 * FRAZIL_EBUFFER if size is too small.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_layout_fingerprint(const frazil_layout *layout, char *buf, size_t size)
    FRAZIL_NONNULL(1, 2);

/*
 * The id of the given parts.  unix_ms is rounded down to its tick.
 * FRAZIL_ERANGE: a part does not fit (before the epoch, after the last instant,
 * worker or sequence too large).  FRAZIL_EKIND: the layout is sno.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_compose(const frazil_layout *layout, const frazil_parts *parts, uint64_t *id)
    FRAZIL_NONNULL(1, 2, 3);
FRAZIL_API FRAZIL_CHECK frazil_err frazil_compose_explain(const frazil_layout *layout, const frazil_parts *parts,
                                                          uint64_t *ret_id, frazil_error *reterr)
    FRAZIL_NONNULL(1, 2, 3);

/*
 * The parts of an id.  FRAZIL_ERANGE: bits above the layout's fields are set,
 * so it is not an id of this layout.  FRAZIL_EKIND: the layout is sno.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_decompose(const frazil_layout *layout, uint64_t id, frazil_parts *parts)
    FRAZIL_NONNULL(1, 3);

/* The datacenter of a worker number; 0 where the layout does not split it. */
FRAZIL_API uint32_t frazil_datacenter_of(const frazil_layout *layout, uint32_t worker) FRAZIL_NONNULL(1);

/* The worker number inside its datacenter; the number itself where the layout does not split it. */
FRAZIL_API uint32_t frazil_worker_in_datacenter(const frazil_layout *layout, uint32_t worker) FRAZIL_NONNULL(1);

/*
 * The smallest and the largest id that any worker can have issued in the ticks
 * from that of from_unix_ms to that of to_unix_ms, both included: what stands
 * in "WHERE id BETWEEN first AND last".  FRAZIL_EINVAL: from is after to.
 * FRAZIL_ERANGE: an end lies outside the layout's life.  FRAZIL_EKIND: sno.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_id_range(const frazil_layout *layout, int64_t from_unix_ms,
                                                   int64_t to_unix_ms, uint64_t *first, uint64_t *last)
    FRAZIL_NONNULL(1, 4, 5);
FRAZIL_API FRAZIL_CHECK frazil_err frazil_id_range_explain(const frazil_layout *layout, int64_t from_unix_ms,
                                                           int64_t to_unix_ms, uint64_t *ret_first, uint64_t *ret_last,
                                                           frazil_error *reterr) FRAZIL_NONNULL(1, 4, 5);

/* What happens when a system moves from one layout to another, see frazil_layout_overlap. */
typedef struct frazil_overlap {
    bool can_collide;     /* a new id can equal an old one */
    bool can_missort;     /* a new id can sort before an old one */
    uint64_t old_last;    /* the largest id that the old layout can have issued before the change; 0 at its epoch */
    uint64_t new_first;   /* the smallest id that the new layout can issue from the change on */
    bool ever_safe;       /* the new layout gets above old_last within its life */
    int64_t safe_unix_ms; /* the first instant, since or later, from which every new id is above every old one */
} frazil_overlap;

/*
 * Whether ids can collide or sort wrongly when everybody issues under the
 * layout `before` up to, and not including, the instant since_unix_ms, and under
 * `after` from then on.  Bits are dense, so any number below old_last may have
 * been issued.  FRAZIL_ERANGE: since lies outside the life of one of them.
 * FRAZIL_EKIND: exactly one of the two is sno (their ids cannot be compared; two
 * snos never overlap in this sense: FRAZIL_OK with nothing set but ever_safe).
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_layout_overlap(const frazil_layout *before, const frazil_layout *after,
                                                         int64_t since_unix_ms, frazil_overlap *ret,
                                                         frazil_error *reterr) FRAZIL_NONNULL(1, 2, 4);

FRAZIL_END_DECLS

#endif
