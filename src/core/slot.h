/* SPDX-License-Identifier: MIT */
/*
 * Slots: the line of places that a generator hands out, and the rules by which
 * the next ones are chosen.  Pure: what is read from memory and from the clock
 * comes in as arguments, what is to be written back goes out as a plan, which
 * the caller carries out with one compare-and-swap.
 *
 * The word.  A generator's state is one 64-bit word, the next free slot:
 *
 *     side << 63 | tick << seq_bits | place
 *
 * Slots are numbers on a line: adding one gives the next slot.  The carry out of
 * the last place of a tick is the first place of the next tick, so a slot can be
 * taken by an atomic add.  When the sequence is bounded (seq_min, seq_max), the
 * used places are moved up to the end of the tick.  So the carry still falls
 * where the bounds end.  The unused ones below `floor` form a
 * hole that is skipped when it is met.
 *
 * Sides.  sno's tick-tock bit makes two lines out of one.  It lies at the top of
 * the word, not beside the sequence as in the id, because a carry out of the
 * sequence has to reach the tick and must never change the side.
 */
#ifndef FZ_CORE_SLOT_H
#define FZ_CORE_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FZ_SLOT_SIDE (UINT64_C(1) << 63)
#define FZ_NO_LIMIT UINT64_MAX

enum fz_on_full { FZ_FULL_WAIT, FZ_FULL_LEAD, FZ_FULL_ERROR };
enum fz_on_backward { FZ_BACKWARD_HOLD, FZ_BACKWARD_WAIT, FZ_BACKWARD_ERROR, FZ_BACKWARD_TICKTOCK };
enum fz_start { FZ_START_ZERO, FZ_START_RANDOM, FZ_START_SPREAD };

/* These never change during a generator's life. */
struct fz_slot_rules {
    unsigned seq_bits;
    uint32_t seq_min;
    uint64_t capacity;  /* places used in a tick: seq_max - seq_min + 1, up to 2^32 */
    uint64_t floor;     /* first used place of every tick */
    uint64_t last_tick; /* of the layout */
    uint64_t max_lead;  /* ticks; FZ_NO_LIMIT */
    enum fz_on_full on_full;
    enum fz_on_backward on_backward;
    enum fz_start start;
    unsigned spread_bits; /* FZ_START_SPREAD: how many low bits are random */
    bool has_sides;
};

/* Bits of the word that count slots; the rest is the side. */
static inline uint64_t fz_slot_line(const struct fz_slot_rules *rules, uint64_t slot)
{
    return rules->has_sides ? slot & ~FZ_SLOT_SIDE : slot;
}

/* The tick that a slot lies in. */
static inline uint64_t fz_slot_tick(const struct fz_slot_rules *rules, uint64_t slot)
{
    return fz_slot_line(rules, slot) >> rules->seq_bits;
}

/* Its sequence number in that tick. */
static inline uint64_t fz_slot_place(const struct fz_slot_rules *rules, uint64_t slot)
{
    return slot & ((UINT64_C(1) << rules->seq_bits) - 1);
}

/* Whether the slot lies in the hole below the used places of its tick. */
static inline bool fz_slot_in_hole(const struct fz_slot_rules *rules, uint64_t slot)
{
    return fz_slot_place(rules, slot) < rules->floor;
}

/* The first tick in which no used slot below this one lies. */
static inline uint64_t fz_slot_free_tick(const struct fz_slot_rules *rules, uint64_t slot)
{
    return fz_slot_tick(rules, slot) + (fz_slot_place(rules, slot) > rules->floor ? 1 : 0);
}

/* The sequence number of a slot that is in no hole. */
static inline uint32_t fz_slot_sequence(const struct fz_slot_rules *rules, uint64_t slot)
{
    return rules->seq_min + (uint32_t)(fz_slot_place(rules, slot) - rules->floor);
}

/* 0 or 1. */
static inline unsigned fz_slot_side(const struct fz_slot_rules *rules, uint64_t slot)
{
    return rules->has_sides ? (unsigned)(slot >> 63) : 0;
}

/* The first used slot of a tick on a side. */
static inline uint64_t fz_slot_first(const struct fz_slot_rules *rules, unsigned side, uint64_t tick)
{
    return (uint64_t)side << 63 | tick << rules->seq_bits | rules->floor;
}

/* The slot itself, or the first one above the hole that it lies in. */
static inline uint64_t fz_slot_above_hole(const struct fz_slot_rules *rules, uint64_t slot)
{
    return fz_slot_in_hole(rules, slot) ? slot - fz_slot_place(rules, slot) + rules->floor : slot;
}

/*
 * The slot that lies k used places after slot, which is in no hole.  False when
 * that is beyond the last tick, or is the line's very last number, after which
 * the word could not stand any more.
 */
FZ_PRIVATE bool fz_slot_advance(const struct fz_slot_rules *rules, uint64_t slot, uint64_t k, uint64_t *ret);

/*
 * An observation, in this order: first the word and the highest tick, then
 * the clock.  So a clock that does not step cannot seem to be behind them.
 */
struct fz_slot_view {
    uint64_t word;
    uint64_t high_tick;    /* the highest tick that the clock has ever shown */
    uint64_t side_free;    /* with sides: the first tick in which the other side may be entered */
    uint64_t carried_tick; /* the latest tick that was entered because the one before was full; 0: none */
    uint64_t now_tick;
    uint64_t granted_first; /* the ticks that may be issued under the grant in force */
    uint64_t granted_end;   /* the tick after the last of them; 0: there is no end */
};

/* Why slots ahead of the clock were, or were not, handed out. */
enum fz_slot_reason {
    FZ_SLOT_NOW,      /* nothing is ahead */
    FZ_SLOT_FULL,     /* the tick is used up */
    FZ_SLOT_BACKWARD, /* the clock went back */
    FZ_SLOT_FENCED,   /* the grant ends before it */
    FZ_SLOT_EXHAUSTED /* the layout has no tick left: never possible */
};

struct fz_slot_plan {
    enum fz_slot_reason reason;
    bool allowed;      /* false: the policy forbids it, however long one would wait */
    bool toggles;      /* it changes the side */
    uint64_t first;    /* the first slot taken */
    uint64_t last;     /* the last one */
    uint64_t next;     /* the word when they are taken */
    uint64_t due_tick; /* the clock must show this tick before the last one may be issued */
};

/*
 * How n slots (n >= 1) are to be taken.  random: 64 random bits, used where a
 * tick is entered.  The word that is replaced is view->word.
 */
FZ_PRIVATE struct fz_slot_plan fz_slot_plan(const struct fz_slot_rules *rules, const struct fz_slot_view *view,
                                            uint64_t n, uint64_t random);

/*
 * Why slots from the first to the last of the given ticks would be ahead of the
 * clock: NOW, FULL or BACKWARD.  Slots that begin in the tick of the clock and do
 * not fit into it are ahead because it is full, wherever the clock was before.
 */
FZ_PRIVATE enum fz_slot_reason fz_slot_reason_for(const struct fz_slot_view *view, uint64_t first_tick,
                                                  uint64_t last_tick);

/* Whether the policy forbids to hand out slots ahead for that reason, however long one would wait. */
FZ_PRIVATE bool fz_slot_forbidden(const struct fz_slot_rules *rules, enum fz_slot_reason reason);

/*
 * The tick that the clock must show before slots from the first to the last of the
 * given ticks may be issued, or before the other side can be entered instead.
 */
FZ_PRIVATE uint64_t fz_slot_due(const struct fz_slot_rules *rules, const struct fz_slot_view *view,
                                enum fz_slot_reason reason, uint64_t first_tick, uint64_t last_tick);

/*
 * Whether the time of n slots (0: of others than the word's) up to one of the given tick is over.  A thread that woke
 * some ticks too late loses them only if as many of the present are free, at any start of a tick: the clock has shown
 * their tick while it slept, and for another wait there may be no time.
 */
FZ_PRIVATE bool fz_slot_is_over(const struct fz_slot_rules *rules, const struct fz_slot_view *view, uint64_t last_tick,
                                uint64_t n, uint64_t overslept);

/* Whether the clock went back into time in which the other side is free. */
FZ_PRIVATE bool fz_slot_may_toggle(const struct fz_slot_rules *rules, const struct fz_slot_view *view,
                                   enum fz_slot_reason reason);

/*
 * Whether the word's tick may be finished although the clock has just left it.  It may when callers had to wait for it:
 * they are woken some time into it, and what they cannot use of it would be lost to the rate.  The ids are behind the
 * clock by at most one tick.
 */
FZ_PRIVATE bool fz_slot_may_finish(const struct fz_slot_rules *rules, const struct fz_slot_view *view);

/*
 * Whether callers may go on in a tick ahead of the clock, until the clock's tick is over.  They may be so far ahead,
 * and so may the caller that takes the first slot of the next tick.
 */
FZ_PRIVATE bool fz_slot_may_lead_on(const struct fz_slot_rules *rules, const struct fz_slot_view *view, uint64_t tick);

/* The last tick, at most `last`, in which they may.  The caller knows that they may in the word's own tick. */
FZ_PRIVATE uint64_t fz_slot_last_led(const struct fz_slot_rules *rules, const struct fz_slot_view *view, uint64_t last);

/*
 * How many slots in a row can be taken and issued now, without waiting: those left in the tick of the clock, and where
 * the policies let ids lead also those ahead of it, as far as the grant reaches.
 */
FZ_PRIVATE uint64_t fz_slot_ready(const struct fz_slot_rules *rules, const struct fz_slot_view *view);

/* How many slots in a row there are to the end of the layout's life; saturates. */
FZ_PRIVATE uint64_t fz_slot_left(const struct fz_slot_rules *rules, const struct fz_slot_view *view);

/* Places left in the tick of the clock; 0 if the next slot is ahead and the other side cannot be entered. */
FZ_PRIVATE uint64_t fz_slot_available(const struct fz_slot_rules *rules, const struct fz_slot_view *view);

#endif
