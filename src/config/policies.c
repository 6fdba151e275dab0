/* SPDX-License-Identifier: MIT */
/* The part of a decision that says which slots there are and how they are taken: layout, behaviour, bounds, clock. */
#include "decide_internal.h"

#include "behaviours.h"
#include "core/duration.h"
#include "core/layout_internal.h"
#include "core/sentence.h"

enum { SPREAD_BITS = 6, SNO_POOL_MIN = 4 };

/* The behaviour of a generator, before its rules count in ticks. */
struct policies {
    enum fz_on_full on_full;
    enum fz_on_backward on_backward;
    enum fz_start start;
    uint64_t max_lead_ns;
    uint64_t max_wait_ns;
};

static const struct policies behaviours[] = {
#define BEHAVIOUR_ROW(identifier, name, on_full, on_backward, start, max_lead_ns, max_wait_ns)                         \
    {FZ_FULL_##on_full, FZ_BACKWARD_##on_backward, FZ_START_##start, max_lead_ns, max_wait_ns},
    FZ_BEHAVIOURS(BEHAVIOUR_ROW)
#undef BEHAVIOUR_ROW
};

/* The behaviour, and the keys that override it one by one. */
static struct policies policies_of(const struct fz_values *values)
{
    bool is_sno = values->layout.kind == FRAZIL_LAYOUT_SNO;
    int behaviour = is_sno ? FZ_BEHAVIOUR_SNO : FZ_BEHAVIOUR_FRAZIL;

    if (fz_is_given(values, FZ_KEY_BEHAVIOUR))
        behaviour = values->behaviour;
    struct policies policies = behaviours[behaviour];
    if (fz_is_given(values, FZ_KEY_ON_FULL))
        policies.on_full = (enum fz_on_full)values->on_full;
    if (fz_is_given(values, FZ_KEY_ON_BACKWARD))
        policies.on_backward = (enum fz_on_backward)values->on_backward;
    if (fz_is_given(values, FZ_KEY_START))
        policies.start = (enum fz_start)values->start;
    if (fz_is_given(values, FZ_KEY_MAX_LEAD))
        policies.max_lead_ns = values->max_lead_ns;
    if (fz_is_given(values, FZ_KEY_MAX_WAIT))
        policies.max_wait_ns = values->max_wait_ns;
    return policies;
}

static void set_rules(struct fz_decision *decision, const struct policies *policies)
{
    struct fz_slot_rules *rules = &decision->rules;
    uint64_t tick_ns = decision->layout.tick_ms * UINT64_C(1000000);

    rules->seq_bits = decision->layout.sequence_bits;
    rules->last_tick = fz_layout_last_tick(&decision->layout);
    rules->on_full = policies->on_full;
    rules->on_backward = policies->on_backward;
    rules->start = policies->start;
    rules->max_lead = policies->max_lead_ns == FZ_DURATION_NONE ? FZ_NO_LIMIT : policies->max_lead_ns / tick_ns;
    rules->has_sides = decision->layout.kind == FRAZIL_LAYOUT_SNO;
    decision->max_wait_ns = policies->max_wait_ns;
}

/* Spread may use up to half of the tick, so that a small one is not used up by where it starts. */
static unsigned spread_bits(uint64_t capacity)
{
    unsigned bits = 0;

    while (bits < SPREAD_BITS && UINT64_C(4) << bits <= capacity)
        bits++;
    return bits;
}

frazil_err fz_policies_set_bounds(struct fz_decision *decision, uint64_t a, uint64_t b, frazil_error *reterr)
{
    uint64_t top = fz_layout_max_sequence(&decision->layout);
    uint64_t min = a < b ? a : b;
    uint64_t max = a < b ? b : a;

    if (min == 0 && max == 0)
        max = top;
    if (max > top)
        return fz_fail(reterr, FRAZIL_ERANGE, "the sequence bound %u is above %u, the layout's largest", max, top);
    if (min == max)
        return fz_fail(reterr, FRAZIL_ERANGE, "both bounds of the sequence are %u: they must differ", min);
    if (decision->layout.kind == FRAZIL_LAYOUT_SNO && max - min + 1 < SNO_POOL_MIN)
        return fz_fail(reterr, FRAZIL_ERANGE, "the sequence bounds %u and %u leave %u numbers: a sno generator needs 4",
                       min, max, max - min + 1);
    decision->bounds = (struct fz_bounds){.min = min, .max = max, .top = top};
    decision->rules.seq_min = (uint32_t)min;
    decision->rules.capacity = max - min + 1;
    decision->rules.floor = top - max + min;
    decision->rules.spread_bits = spread_bits(decision->rules.capacity);
    return FRAZIL_OK;
}

static frazil_err set_bounds(struct fz_decision *decision, const struct fz_values *values, frazil_error *reterr)
{
    uint64_t top = fz_layout_max_sequence(&values->layout);
    uint64_t last = fz_is_given(values, FZ_KEY_SEQ_MAX) ? values->seq_max : top;

    frazil_err err = fz_value_between(values, FZ_KEY_SEQ_MIN, values->seq_min, 0, top, reterr);
    if (err == FRAZIL_OK)
        err = fz_value_between(values, FZ_KEY_SEQ_MAX, last, 0, top, reterr);
    return err == FRAZIL_OK ? fz_policies_set_bounds(decision, values->seq_min, last, reterr) : err;
}

frazil_err fz_policies_set(struct fz_decision *decision, const struct fz_values *values, frazil_error *reterr)
{
    struct policies policies = policies_of(values);

    decision->layout = values->layout;
    decision->open_wait_ns = fz_is_given(values, FZ_KEY_OPEN_WAIT) ? values->open_wait_ns : FZ_OPEN_WAIT_DEFAULT_NS;
    decision->as_konayuki = values->behaviour == FZ_BEHAVIOUR_KONAYUKI;
    decision->frozen = values->frozen;
    decision->frozen_unix_ms = values->frozen_unix_ms;
    if (policies.on_backward == FZ_BACKWARD_TICKTOCK && decision->layout.kind != FRAZIL_LAYOUT_SNO)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "on_backward=ticktock needs the tick-tock bit, which only layout=sno has: use hold, wait or "
                       "error");
    set_rules(decision, &policies);
    return set_bounds(decision, values, reterr);
}
