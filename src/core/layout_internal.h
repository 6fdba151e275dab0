/* SPDX-License-Identifier: MIT */
/*
 * The rest of the library needs this of layouts, beyond frazil/layout.h.  All of
 * it is pure; any thread.  Every layout given here is valid (as by
 * frazil_layout_validate) unless said otherwise.
 *
 * A tick is counted from the layout's epoch: tick 0 begins at the epoch.
 */
#ifndef FZ_CORE_LAYOUT_INTERNAL_H
#define FZ_CORE_LAYOUT_INTERNAL_H

#include "frazil/layout.h"

/* Bounds of frazil_layout's members, as frazil/layout.h states them. */
#define FZ_LAYOUT_TIME_BITS_MAX 63
#define FZ_LAYOUT_WORKER_BITS_MAX 32
#define FZ_LAYOUT_SEQUENCE_BITS_MAX 32
#define FZ_LAYOUT_TICK_MS_MAX 86400000
#define FZ_LAYOUT_TOTAL_BITS_MAX 64
/* A sno's bits: those of its layout, and nine for tick-tock and metabyte. */
#define FZ_LAYOUT_SNO_TOTAL_BITS 80

/* The datacenter of a worker number that fits the layout; 0 where it does not split it. */
static inline uint32_t fz_layout_datacenter_of(const frazil_layout *layout, uint32_t worker)
{
    return (uint32_t)((uint64_t)worker >> (layout->worker_bits - layout->datacenter_bits));
}

/* How many workers a datacenter has: the number inside it is the rest of a division. */
static inline uint64_t fz_layout_workers_in_datacenter(const frazil_layout *layout)
{
    return UINT64_C(1) << (layout->worker_bits - layout->datacenter_bits);
}

/* The epoch of a description that names none: 2026-01-01T00:00:00Z. */
#define FZ_LAYOUT_DEFAULT_EPOCH_MS INT64_C(1767225600000)

/* The names of all presets, for sentences: "frazil, konayuki, ...".  Never freed. */
FZ_PRIVATE const char *fz_layout_preset_names(void);

/* The preset of that name, NULL if there is none.  Never freed. */
FZ_PRIVATE const frazil_layout *fz_layout_preset_named(const char *name, size_t len);

/*
 * Overrides one key of a layout: `epoch` (an instant as frazil_time_parse reads
 * it) or `tick` (a duration as fz_duration_parse reads it).  The layout need not
 * be valid yet, because an epoch can be right only together with a tick: call
 * frazil_layout_validate after the last key.  A layout that is really changed is
 * called "custom" from then on.  FRAZIL_ELAYOUT: unknown key, unreadable or
 * empty value, value outside its bounds, or a sno, where both are fixed; the
 * layout is then untouched.  reterr may be NULL.
 */
FZ_PRIVATE frazil_err fz_layout_apply_key(frazil_layout *layout, const char *key, size_t key_len, const char *value,
                                          size_t value_len, frazil_error *reterr);

/*
 * The layout's value: all that decides which number the fields of an id make, and nothing else.  Layouts are one if
 * their values are: "10/12 epoch=1288834974657 tick=1ms", "sno".  Not in it: the name, the datacenter's split, and the
 * width of time, which is the highest field.  Words and grants are kept for a value and a worker id.
 */
FZ_PRIVATE void fz_layout_value(const frazil_layout *layout, char ret[FRAZIL_FINGERPRINT_SIZE]);

/*
 * Whether two texts say layouts that are equal (frazil_layout_equal) and end at the same time, as those of one
 * namespace must.  false also if one of them says none.
 */
FZ_PRIVATE bool fz_layout_texts_agree(const char *a, const char *b);

/*
 * The same layout without the datacenter's split.  Its fingerprint is one text for all that fz_layout_texts_agree calls
 * one, for coordinators that compare texts.
 */
FZ_PRIVATE frazil_layout fz_layout_unsplit(const frazil_layout *layout);

/* The last tick of the layout's life; it is usable. */
FZ_PRIVATE uint64_t fz_layout_last_tick(const frazil_layout *layout);

/* Start of a tick (<= the last one) in Unix ms. */
FZ_PRIVATE int64_t fz_layout_tick_unix_ms(const frazil_layout *layout, uint64_t tick);

/* The nanoseconds of `ticks` ticks; saturates. */
FZ_PRIVATE uint64_t fz_layout_ticks_ns(const frazil_layout *layout, uint64_t ticks);

/*
 * The tick that an instant lies in.  FRAZIL_ERANGE: before the epoch or after
 * the end of the last tick; *ret_tick is then untouched.  reterr may be NULL.
 */
FZ_PRIVATE frazil_err fz_layout_tick_of(const frazil_layout *layout, int64_t unix_ms, uint64_t *ret_tick,
                                        frazil_error *reterr);

/* Largest worker number, datacenter included (for sno: partition). */
FZ_PRIVATE uint64_t fz_layout_max_worker(const frazil_layout *layout);

/* Largest sequence number. */
FZ_PRIVATE uint64_t fz_layout_max_sequence(const frazil_layout *layout);

/* How far each field is shifted to the left in a 64-bit id.  Not for sno. */
FZ_PRIVATE unsigned fz_layout_time_shift(const frazil_layout *layout);
FZ_PRIVATE unsigned fz_layout_worker_shift(const frazil_layout *layout);
FZ_PRIVATE unsigned fz_layout_sequence_shift(const frazil_layout *layout);

/* The id of fields that are known to fit.  Not for sno. */
FZ_PRIVATE uint64_t fz_layout_compose_unchecked(const frazil_layout *layout, uint64_t tick, uint64_t worker,
                                                uint64_t sequence);

#endif
