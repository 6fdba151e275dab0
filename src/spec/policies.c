/* SPDX-License-Identifier: MIT */
#include "policies.h"

#include <string.h>

#include "core/duration.h"
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "frazil/time.h"
#include "values.h"

enum { SPREAD_BITS = 6, SNO_POOL_MIN = 4 };

static const struct fz_value_word on_full_words[] = {
    {"wait", FZ_FULL_WAIT}, {"lead", FZ_FULL_LEAD}, {"error", FZ_FULL_ERROR}, {"", 0}};
static const struct fz_value_word on_backward_words[] = {{"hold", FZ_BACKWARD_HOLD},
                                                         {"wait", FZ_BACKWARD_WAIT},
                                                         {"error", FZ_BACKWARD_ERROR},
                                                         {"ticktock", FZ_BACKWARD_TICKTOCK},
                                                         {"", 0}};
static const struct fz_value_word start_words[] = {
    {"zero", FZ_START_ZERO}, {"random", FZ_START_RANDOM}, {"spread", FZ_START_SPREAD}, {"", 0}};

enum behaviour {
#define BEHAVIOUR_ENUM(identifier, name, on_full, on_backward, start, max_lead_ns, max_wait_ns) BEHAVIOUR_##identifier,
    FZ_BEHAVIOURS(BEHAVIOUR_ENUM)
#undef BEHAVIOUR_ENUM
};

static const struct fz_value_word behaviour_words[] = {
#define BEHAVIOUR_WORD(identifier, name, on_full, on_backward, start, max_lead_ns, max_wait_ns)                        \
    {name, BEHAVIOUR_##identifier},
    FZ_BEHAVIOURS(BEHAVIOUR_WORD){"", 0}
#undef BEHAVIOUR_WORD
};

const char *fz_policies_word(enum fz_key key, int choice)
{
    const struct fz_value_word *word = key == FZ_KEY_ON_FULL       ? on_full_words
                                       : key == FZ_KEY_ON_BACKWARD ? on_backward_words
                                                                   : start_words;

    while (word->value != choice)
        word++;
    return word->word;
}

/* What a generator does when, before its rules count in ticks. */
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

static frazil_err read_layout(struct fz_decision *decision, const struct fz_settings *settings, frazil_error *reterr)
{
    static const enum fz_key overrides[] = {FZ_KEY_EPOCH, FZ_KEY_TICK};
    const char *given = settings->value[FZ_KEY_LAYOUT];
    const char *text = given == NULL ? "frazil" : given;
    frazil_err err = FRAZIL_OK;

    if (settings->layout != NULL && given != NULL && !settings->from_elsewhere[FZ_KEY_LAYOUT])
        return fz_value_refuse(settings, FZ_KEY_LAYOUT, "the program gives a layout itself: leave the key out", reterr);
    if (settings->layout != NULL)
        decision->layout = *settings->layout;
    else
        err = frazil_layout_parse(text, strlen(text), &decision->layout, reterr);
    for (size_t i = 0; err == FRAZIL_OK && i < sizeof overrides / sizeof overrides[0]; i++) {
        const char *name = fz_key_name(overrides[i]);
        const char *value = settings->value[overrides[i]];
        if (value != NULL)
            err = fz_layout_apply_key(&decision->layout, name, strlen(name), value, strlen(value), reterr);
    }
    if (err == FRAZIL_OK)
        err = frazil_layout_validate(&decision->layout, reterr);
    return fz_without_position(err, reterr);
}

/* The behaviour, and the keys that override it one by one. */
static frazil_err read_policies(struct policies *ret, struct fz_decision *decision, const struct fz_settings *settings,
                                frazil_error *reterr)
{
    int behaviour = decision->layout.kind == FRAZIL_LAYOUT_SNO ? BEHAVIOUR_SNO : BEHAVIOUR_FRAZIL;

    frazil_err err = fz_value_word(settings, FZ_KEY_BEHAVIOUR, behaviour_words, "", &behaviour, reterr);
    if (err != FRAZIL_OK)
        return err;
    struct policies policies = behaviours[behaviour];
    decision->as_konayuki = behaviour == BEHAVIOUR_KONAYUKI;
    int on_full = (int)policies.on_full;
    int on_backward = (int)policies.on_backward;
    int start = (int)policies.start;
    if ((err = fz_value_word(settings, FZ_KEY_ON_FULL, on_full_words, "", &on_full, reterr)) != FRAZIL_OK ||
        (err = fz_value_word(settings, FZ_KEY_ON_BACKWARD, on_backward_words, "", &on_backward, reterr)) != FRAZIL_OK ||
        (err = fz_value_word(settings, FZ_KEY_START, start_words, "", &start, reterr)) != FRAZIL_OK ||
        (err = fz_value_duration(settings, FZ_KEY_MAX_LEAD, &policies.max_lead_ns, reterr)) != FRAZIL_OK ||
        (err = fz_value_duration(settings, FZ_KEY_MAX_WAIT, &policies.max_wait_ns, reterr)) != FRAZIL_OK)
        return err;
    policies.on_full = (enum fz_on_full)on_full;
    policies.on_backward = (enum fz_on_backward)on_backward;
    policies.start = (enum fz_start)start;
    if (policies.on_backward == FZ_BACKWARD_TICKTOCK && decision->layout.kind != FRAZIL_LAYOUT_SNO)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "on_backward=ticktock needs the tick-tock bit, which only layout=sno has: use hold, wait or "
                       "error");
    *ret = policies;
    return FRAZIL_OK;
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

static frazil_err read_bounds(struct fz_decision *decision, const struct fz_settings *settings, frazil_error *reterr)
{
    uint64_t top = fz_layout_max_sequence(&decision->layout);
    uint64_t min = 0;
    uint64_t max = top;

    frazil_err err = fz_value_number(settings, FZ_KEY_SEQ_MIN, 0, top, &min, reterr);
    if (err == FRAZIL_OK)
        err = fz_value_number(settings, FZ_KEY_SEQ_MAX, 0, top, &max, reterr);
    return err == FRAZIL_OK ? fz_policies_set_bounds(decision, min, max, reterr) : err;
}

static frazil_err read_clock(struct fz_decision *decision, const struct fz_settings *settings, frazil_error *reterr)
{
    static const char frozen[] = "frozen:";
    const char *value = settings->value[FZ_KEY_CLOCK];
    frazil_error why;

    if (value == NULL || strcmp(value, "real") == 0)
        return FRAZIL_OK;
    if (strncmp(value, frozen, sizeof frozen - 1) != 0)
        return fz_value_refuse(settings, FZ_KEY_CLOCK,
                               "must be real, or frozen:TIME with a time as RFC 3339 or Unix ms", reterr);
    const char *time = value + sizeof frozen - 1;
    if (frazil_time_parse(time, strlen(time), &decision->frozen_unix_ms, &why) != FRAZIL_OK)
        return fz_value_refuse(settings, FZ_KEY_CLOCK, why.message, reterr);
    decision->frozen = true;
    return FRAZIL_OK;
}

frazil_err fz_policies_read(struct fz_decision *decision, const struct fz_settings *settings, frazil_error *reterr)
{
    struct policies policies;

    frazil_err err = read_layout(decision, settings, reterr);
    if (err == FRAZIL_OK)
        err = read_policies(&policies, decision, settings, reterr);
    if (err != FRAZIL_OK)
        return err;
    set_rules(decision, &policies);
    err = read_bounds(decision, settings, reterr);
    return err == FRAZIL_OK ? read_clock(decision, settings, reterr) : err;
}
