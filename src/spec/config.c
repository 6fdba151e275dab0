/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <string.h>

#include "coordinators.h"
#include "core/decimal.h"
#include "core/duration.h"
#include "core/layout_internal.h"
#include "core/nearest.h"
#include "core/sentence.h"
#include "frazil/time.h"
#include "lease/record.h"

enum { SPREAD_BITS = 6, SNO_POOL_MIN = 4, LARGEST_MAX_SKEW_MS = 3600000 };

#define NS_PER_MS UINT64_C(1000000)

/* A word that a key can have, with what it stands for. */
struct choice {
    char word[12]; /* the last one's is empty */
    int value;
};

static const struct choice on_full_choices[] = {
    {"wait", FZ_FULL_WAIT}, {"lead", FZ_FULL_LEAD}, {"error", FZ_FULL_ERROR}, {"", 0}};
static const struct choice on_backward_choices[] = {{"hold", FZ_BACKWARD_HOLD},
                                                    {"wait", FZ_BACKWARD_WAIT},
                                                    {"error", FZ_BACKWARD_ERROR},
                                                    {"ticktock", FZ_BACKWARD_TICKTOCK},
                                                    {"", 0}};
static const struct choice start_choices[] = {
    {"zero", FZ_START_ZERO}, {"random", FZ_START_RANDOM}, {"spread", FZ_START_SPREAD}, {"", 0}};
static const struct choice state_choices[] = {{"file", 1}, {"memory", 2}, {"", 0}};
static const char slots_urls[] = ", or a URL: redis://HOST/NAMESPACE, konayuki+redis://HOST or konayuki+file:///PATH";
static const struct choice keeper_choices[] = {
    {"thread", FZ_KEEPER_THREAD}, {"hook", FZ_KEEPER_HOOK}, {"inline", FZ_KEEPER_INLINE}, {"", 0}};
static const struct choice on_loss_choices[] = {{"move", 0}, {"stop", 1}, {"", 0}};
static const struct choice yes_no_choices[] = {{"yes", 1}, {"no", 0}, {"", 0}};

#define SECONDS(n) ((n)*UINT64_C(1000000000))

/* The policies of a generator, and the systems that are settings of it. */
struct policies {
    char name[16];
    enum fz_on_full on_full;
    enum fz_on_backward on_backward;
    enum fz_start start;
    uint64_t max_lead_ns;
    uint64_t max_wait_ns;
};

static const struct policies behaviours[] = {
    {"frazil", FZ_FULL_WAIT, FZ_BACKWARD_HOLD, FZ_START_SPREAD, SECONDS(1), SECONDS(2)},
    {"konayuki", FZ_FULL_WAIT, FZ_BACKWARD_WAIT, FZ_START_ZERO, 0, SECONDS(10)},
    {"sfid", FZ_FULL_LEAD, FZ_BACKWARD_HOLD, FZ_START_ZERO, FZ_NO_LIMIT, 0},
    {"sno", FZ_FULL_WAIT, FZ_BACKWARD_TICKTOCK, FZ_START_ZERO, 0, SECONDS(2)},
    {"post", FZ_FULL_WAIT, FZ_BACKWARD_WAIT, FZ_START_ZERO, 0, SECONDS(2)},
    {"flake", FZ_FULL_ERROR, FZ_BACKWARD_ERROR, FZ_START_ZERO, 0, 0},
    {"flake-callback", FZ_FULL_WAIT, FZ_BACKWARD_WAIT, FZ_START_ZERO, 0, 0},
};
enum { BEHAVIOUR_COUNT = sizeof behaviours / sizeof behaviours[0] };

/* A setting cannot be understood: key, value, and what would be right. */
static frazil_err bad_value(const struct fz_settings *settings, enum fz_key key, const char *right,
                            frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_ESPEC, "%s=%q: %s", fz_key_name(key), settings->value[key], right);
}

static frazil_err read_choice_or(const struct fz_settings *settings, enum fz_key key, const struct choice *choices,
                                 const char *or_else, int *ret, frazil_error *reterr)
{
    const char *value = settings->value[key];

    if (value == NULL)
        return FRAZIL_OK;
    struct fz_nearest near = fz_nearest_to(value, strlen(value));
    char words[192];
    struct fz_sentence sentence = fz_sentence_in(words, sizeof words);
    fz_sentence_str(&sentence, "must be one of");
    for (const struct choice *choice = choices; choice->word[0] != '\0'; choice++) {
        if (strcmp(choice->word, value) == 0) {
            *ret = choice->value;
            return FRAZIL_OK;
        }
        fz_sentence_char(&sentence, ' ');
        fz_sentence_str(&sentence, choice->word);
        fz_nearest_offer(&near, choice->word);
    }
    fz_sentence_str(&sentence, or_else);
    fz_nearest_say(&sentence, &near, "");
    return bad_value(settings, key, words, reterr);
}

static frazil_err read_choice(const struct fz_settings *settings, enum fz_key key, const struct choice *choices,
                              int *ret, frazil_error *reterr)
{
    return read_choice_or(settings, key, choices, "", ret, reterr);
}

static frazil_err read_duration(const struct fz_settings *settings, enum fz_key key, uint64_t *ret,
                                frazil_error *reterr)
{
    const char *value = settings->value[key];
    frazil_error why;

    if (value == NULL)
        return FRAZIL_OK;
    if (fz_duration_parse(value, strlen(value), ret, &why) != FRAZIL_OK)
        return bad_value(settings, key, why.message, reterr);
    return FRAZIL_OK;
}

frazil_err fz_config_number(const struct fz_settings *settings, enum fz_key key, uint64_t min, uint64_t max,
                            uint64_t *ret, frazil_error *reterr)
{
    const char *value = settings->value[key];
    uint64_t number;

    if (value == NULL)
        return FRAZIL_OK;
    if (!fz_decimal_parse(value, strlen(value), &number))
        return bad_value(settings, key, "must be a whole number without sign or leading zero", reterr);
    if (number < min || number > max)
        return fz_fail(reterr, FRAZIL_ERANGE, "%s=%u: must be from %u to %u for this layout", fz_key_name(key), number,
                       min, max);
    *ret = number;
    return FRAZIL_OK;
}

static frazil_err read_layout(struct fz_config *config, const struct fz_settings *settings, frazil_error *reterr)
{
    static const enum fz_key overrides[] = {FZ_KEY_EPOCH, FZ_KEY_TICK};
    const char *text = settings->value[FZ_KEY_LAYOUT];

    frazil_err err = frazil_layout_parse_explain(text == NULL ? "frazil" : text, &config->layout, reterr);
    for (size_t i = 0; err == FRAZIL_OK && i < sizeof overrides / sizeof overrides[0]; i++) {
        const char *name = fz_key_name(overrides[i]);
        const char *value = settings->value[overrides[i]];
        if (value != NULL)
            err = fz_layout_apply_key(&config->layout, name, strlen(name), value, strlen(value), reterr);
    }
    return err == FRAZIL_OK ? frazil_layout_validate(&config->layout, reterr) : err;
}

static frazil_err read_behaviour(struct policies *ret, const struct fz_config *config,
                                 const struct fz_settings *settings, frazil_error *reterr)
{
    const char *name = settings->value[FZ_KEY_BEHAVIOUR];
    bool is_sno = config->layout.kind == FRAZIL_LAYOUT_SNO;

    if (name == NULL)
        name = is_sno ? "sno" : "frazil";
    struct fz_nearest near = fz_nearest_to(name, strlen(name));
    char right[128];
    struct fz_sentence s = fz_sentence_in(right, sizeof right);
    fz_sentence_str(&s, "must be one of");
    for (size_t i = 0; i < BEHAVIOUR_COUNT; i++) {
        if (strcmp(behaviours[i].name, name) == 0) {
            *ret = behaviours[i];
            return FRAZIL_OK;
        }
        fz_sentence_char(&s, ' ');
        fz_sentence_str(&s, behaviours[i].name);
        fz_nearest_offer(&near, behaviours[i].name);
    }
    fz_nearest_say(&s, &near, "");
    return bad_value(settings, FZ_KEY_BEHAVIOUR, right, reterr);
}

/* The behaviour, and the keys that override it one by one. */
static frazil_err read_policies(struct policies *ret, const struct fz_config *config,
                                const struct fz_settings *settings, frazil_error *reterr)
{
    struct policies policies;
    frazil_err err = read_behaviour(&policies, config, settings, reterr);
    if (err != FRAZIL_OK)
        return err;

    int on_full = (int)policies.on_full;
    int on_backward = (int)policies.on_backward;
    int start = (int)policies.start;
    if ((err = read_choice(settings, FZ_KEY_ON_FULL, on_full_choices, &on_full, reterr)) != FRAZIL_OK ||
        (err = read_choice(settings, FZ_KEY_ON_BACKWARD, on_backward_choices, &on_backward, reterr)) != FRAZIL_OK ||
        (err = read_choice(settings, FZ_KEY_START, start_choices, &start, reterr)) != FRAZIL_OK ||
        (err = read_duration(settings, FZ_KEY_MAX_LEAD, &policies.max_lead_ns, reterr)) != FRAZIL_OK ||
        (err = read_duration(settings, FZ_KEY_MAX_WAIT, &policies.max_wait_ns, reterr)) != FRAZIL_OK)
        return err;
    policies.on_full = (enum fz_on_full)on_full;
    policies.on_backward = (enum fz_on_backward)on_backward;
    policies.start = (enum fz_start)start;
    if (policies.on_backward == FZ_BACKWARD_TICKTOCK && config->layout.kind != FRAZIL_LAYOUT_SNO)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "on_backward=ticktock needs the tick-tock bit, which only layout=sno has: use hold, wait or "
                       "error");
    *ret = policies;
    return FRAZIL_OK;
}

static void set_rules(struct fz_config *config, const struct policies *policies)
{
    struct fz_slot_rules *rules = &config->rules;
    uint64_t tick_ns = config->layout.tick_ms * UINT64_C(1000000);

    rules->seq_bits = config->layout.sequence_bits;
    rules->last_tick = fz_layout_last_tick(&config->layout);
    rules->on_full = policies->on_full;
    rules->on_backward = policies->on_backward;
    rules->start = policies->start;
    rules->max_lead = policies->max_lead_ns == FZ_DURATION_NONE ? FZ_NO_LIMIT : policies->max_lead_ns / tick_ns;
    rules->has_sides = config->layout.kind == FRAZIL_LAYOUT_SNO;
    config->max_wait_ns = policies->max_wait_ns;
}

/* Spread may use up to half of the tick, so that a small one is not used up by where it starts. */
static unsigned spread_bits(uint64_t capacity)
{
    unsigned bits = 0;

    while (bits < SPREAD_BITS && UINT64_C(4) << bits <= capacity)
        bits++;
    return bits;
}

frazil_err fz_config_set_bounds(struct fz_config *config, uint64_t a, uint64_t b, frazil_error *reterr)
{
    uint64_t top = fz_layout_max_sequence(&config->layout);
    uint64_t min = a < b ? a : b;
    uint64_t max = a < b ? b : a;

    if (min == 0 && max == 0)
        max = top;
    if (max > top)
        return fz_fail(reterr, FRAZIL_ERANGE, "the sequence bound %u is above %u, the layout's largest", max, top);
    if (min == max)
        return fz_fail(reterr, FRAZIL_ERANGE, "both bounds of the sequence are %u: they must differ", min);
    if (config->layout.kind == FRAZIL_LAYOUT_SNO && max - min + 1 < SNO_POOL_MIN)
        return fz_fail(reterr, FRAZIL_ERANGE, "the sequence bounds %u and %u leave %u numbers: a sno generator needs 4",
                       min, max, max - min + 1);
    config->rules.seq_min = (uint32_t)min;
    config->rules.capacity = max - min + 1;
    config->rules.floor = top - max + min;
    config->rules.spread_bits = spread_bits(config->rules.capacity);
    return FRAZIL_OK;
}

struct fz_bounds fz_config_bounds(const struct fz_config *config)
{
    const struct fz_slot_rules *rules = &config->rules;

    return (struct fz_bounds){.min = rules->seq_min,
                              .max = rules->seq_min + rules->capacity - 1,
                              .top = fz_layout_max_sequence(&config->layout)};
}

static frazil_err read_bounds(struct fz_config *config, const struct fz_settings *settings, frazil_error *reterr)
{
    uint64_t top = fz_layout_max_sequence(&config->layout);
    uint64_t min = 0;
    uint64_t max = top;

    frazil_err err = fz_config_number(settings, FZ_KEY_SEQ_MIN, 0, top, &min, reterr);
    if (err == FRAZIL_OK)
        err = fz_config_number(settings, FZ_KEY_SEQ_MAX, 0, top, &max, reterr);
    return err == FRAZIL_OK ? fz_config_set_bounds(config, min, max, reterr) : err;
}

/* A duration of whole milliseconds; absent: *ret_ms is untouched. */
static frazil_err read_ms(const struct fz_settings *settings, enum fz_key key, uint64_t max_ms, const char *right,
                          uint64_t *ret_ms, frazil_error *reterr)
{
    uint64_t ns = *ret_ms * NS_PER_MS;

    frazil_err err = read_duration(settings, key, &ns, reterr);
    if (err == FRAZIL_OK && (ns / NS_PER_MS > max_ms || ns % NS_PER_MS != 0))
        err = bad_value(settings, key, right, reterr);
    if (err == FRAZIL_OK)
        *ret_ms = ns / NS_PER_MS;
    return err;
}

/* What goes with a worker id from a coordinator. */
static frazil_err read_lease(struct fz_config *config, const struct fz_settings *settings, frazil_error *reterr)
{
    static const char right_horizon[] = "must be whole milliseconds, from 100ms to a week (168h)";
    uint64_t skew_ms = FZ_SKEW_MS_DEFAULT;
    int stay = 0;

    frazil_err err = read_ms(settings, FZ_KEY_MAX_SKEW, LARGEST_MAX_SKEW_MS,
                             "must be whole milliseconds, from 0ms to 1h", &skew_ms, reterr);
    if (err == FRAZIL_OK)
        err = read_ms(settings, FZ_KEY_HORIZON, FZ_HORIZON_MS_MAX, right_horizon, &config->horizon_ms, reterr);
    if (err == FRAZIL_OK && settings->value[FZ_KEY_HORIZON] != NULL && config->horizon_ms < FZ_HORIZON_MS_MIN)
        err = bad_value(settings, FZ_KEY_HORIZON, right_horizon, reterr);
    if (err == FRAZIL_OK)
        err = fz_config_number(settings, FZ_KEY_WORKERS, 1, fz_layout_max_worker(&config->layout) + 1, &config->workers,
                               reterr);
    if (err == FRAZIL_OK)
        err = read_choice(settings, FZ_KEY_ON_LOSS, on_loss_choices, &stay, reterr);
    if (err != FRAZIL_OK)
        return err;
    config->max_skew_ms = (int64_t)skew_ms;
    config->max_skew_said = settings->value[FZ_KEY_MAX_SKEW] != NULL;
    config->stay = stay != 0;
    return FRAZIL_OK;
}

/* Slots from elsewhere.  Whoever shares them has the same kind of ids and the same time. */
static frazil_err read_slots(struct fz_config *config, const struct fz_settings *settings, frazil_error *reterr)
{
    if (config->layout.kind == FRAZIL_LAYOUT_SNO)
        return fz_fail(reterr, FRAZIL_ESPEC, "state=URL is for 64-bit ids: it does not go with layout=sno");
    if (config->frozen)
        return fz_fail(reterr, FRAZIL_ESPEC, "state=URL does not go with a frozen clock, which others do not share");
    if (settings->value[FZ_KEY_START] != NULL && config->rules.start == FZ_START_SPREAD)
        return bad_value(settings, FZ_KEY_START,
                         "needs to know how busy all are who share the slots of a state=URL: say zero or random",
                         reterr);
    config->slots_url = settings->value[FZ_KEY_STATE];
    return fz_config_number(settings, FZ_KEY_BATCH, 1, config->rules.capacity, &config->batch, reterr);
}

/* Where the state is kept.  A clock that is not the real one has no business in what outlives the process. */
static frazil_err read_state(struct fz_config *config, const struct fz_settings *settings, frazil_error *reterr)
{
    int state = 0;
    int keeper = FZ_KEEPER_THREAD;

    bool is_url = settings->value[FZ_KEY_STATE] != NULL && fz_is_url(settings->value[FZ_KEY_STATE]);
    frazil_err err = is_url ? read_slots(config, settings, reterr)
                            : read_choice_or(settings, FZ_KEY_STATE, state_choices, slots_urls, &state, reterr);
    if (err == FRAZIL_OK && !is_url && settings->value[FZ_KEY_BATCH] != NULL)
        err = bad_value(settings, FZ_KEY_BATCH, "is for state=URL: how many slots are taken from there at a time",
                        reterr);
    if (err == FRAZIL_OK)
        err = read_choice(settings, FZ_KEY_KEEPER, keeper_choices, &keeper, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (state == 1 && config->frozen)
        return fz_fail(reterr, FRAZIL_ESPEC, "state=file does not go with a frozen clock, which it would outlive");
    config->in_memory = state == 2 || config->frozen;
    config->in_file = state == 1;
    config->keeper = (enum fz_keeper_mode)keeper;
    return FRAZIL_OK;
}

static frazil_err read_clock(struct fz_config *config, const struct fz_settings *settings, frazil_error *reterr)
{
    static const char frozen[] = "frozen:";
    const char *value = settings->value[FZ_KEY_CLOCK];
    frazil_error why;

    if (value == NULL || strcmp(value, "real") == 0)
        return FRAZIL_OK;
    if (strncmp(value, frozen, sizeof frozen - 1) != 0)
        return bad_value(settings, FZ_KEY_CLOCK, "must be real, or frozen:TIME with a time as RFC 3339 or Unix ms",
                         reterr);
    const char *time = value + sizeof frozen - 1;
    if (frazil_time_parse(time, strlen(time), &config->frozen_unix_ms, &why) != FRAZIL_OK)
        return bad_value(settings, FZ_KEY_CLOCK, why.message, reterr);
    config->frozen = true;
    return FRAZIL_OK;
}

frazil_err fz_config_read(struct fz_config *ret, const struct fz_settings *settings, frazil_error *reterr)
{
    struct fz_config config;
    struct policies policies;
    int allow_short_life = 0;

    memset(&config, 0, sizeof config);
    frazil_err err = read_layout(&config, settings, reterr);
    if (err == FRAZIL_OK)
        err = read_policies(&policies, &config, settings, reterr);
    if (err != FRAZIL_OK)
        return err;
    set_rules(&config, &policies);
    if ((err = read_bounds(&config, settings, reterr)) != FRAZIL_OK ||
        (err = read_clock(&config, settings, reterr)) != FRAZIL_OK ||
        (err = read_state(&config, settings, reterr)) != FRAZIL_OK ||
        (err = read_lease(&config, settings, reterr)) != FRAZIL_OK ||
        (err = read_choice(settings, FZ_KEY_ALLOW_SHORT_LIFE, yes_no_choices, &allow_short_life, reterr)) != FRAZIL_OK)
        return err;
    config.allow_short_life = allow_short_life != 0;
    *ret = config;
    return FRAZIL_OK;
}
