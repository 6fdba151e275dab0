/* SPDX-License-Identifier: MIT */
#include "lib/spec_meaning.h"

#include "frazil.h"
#include "lib/test.h"

#define IN(shape) (1u << SPEC_##shape)

static const unsigned everywhere = (1u << SPEC_SHAPES) - 1;

static const struct spec_choice choices[] = {
    {FZ_KEY_BEHAVIOUR,
     IN(FILES) | IN(MEMORY) | IN(LEASE),
     SPEC_GENERATOR,
     {{NULL, NULL}, {"post", "post"}, {"flake", "flake"}}},
    {FZ_KEY_ON_FULL, everywhere, SPEC_GENERATOR, {{NULL, "wait"}, {"error", "error"}, {"lead", "lead"}}},
    {FZ_KEY_ON_BACKWARD, everywhere, SPEC_GENERATOR, {{NULL, NULL}, {"wait", "wait"}, {"error", "error"}}},
    {FZ_KEY_MAX_LEAD, everywhere, SPEC_GENERATOR, {{NULL, NULL}, {"2s", "2000ms"}, {"3s", "3000000us"}}},
    {FZ_KEY_MAX_WAIT, everywhere, SPEC_GENERATOR, {{NULL, "2s"}, {"1s", "1000ms"}, {"unlimited", "unlimited"}}},
    {FZ_KEY_OPEN_WAIT, everywhere, SPEC_NOTHING, {{NULL, "10s"}, {"20s", "20000ms"}, {"30s", "30s"}}},
    {FZ_KEY_START, everywhere, SPEC_GENERATOR, {{NULL, NULL}, {"random", "random"}, {"random", "random"}}},
    {FZ_KEY_ALLOW_SHORT_LIFE, everywhere, SPEC_GENERATOR, {{NULL, "no"}, {"yes", "yes"}, {"yes", "yes"}}},
    {FZ_KEY_CLOCK,
     IN(MEMORY),
     SPEC_GENERATOR,
     {{NULL, "real"}, {"frozen:2026-05-01", "frozen:1777593600000"}, {"frozen:2026-05-02", "frozen:1777680000000"}}},
    {FZ_KEY_KEEPER, everywhere, SPEC_GENERATOR, {{NULL, "thread"}, {"inline", "inline"}, {"hook", "hook"}}},
    {FZ_KEY_BATCH, IN(SLOTS), SPEC_GENERATOR, {{NULL, "64"}, {"3", "3"}, {"5", "5"}}},
    {FZ_KEY_NAMESPACE, IN(FILES) | IN(LEASE), SPEC_BOTH, {{NULL, NULL}, {"n", "n"}, {"m", "m"}}},
    {FZ_KEY_RUN_DIR, IN(FILES) | IN(LEASE), SPEC_BOTH, {{"@/run", "@/run"}, {"@/r 2", "@/r 2"}, {"@/r'3", "@/r'3"}}},
    {FZ_KEY_STATE_DIR, IN(FILES), SPEC_BOTH, {{"@/state", "@/state"}, {"@/s 2", "@/s 2"}, {"@/s'3", "@/s'3"}}},
    {FZ_KEY_HOST_DIR, IN(FILES), SPEC_GENERATOR, {{"@/host", "@/host"}, {"@/h 2", "@/h 2"}, {"@/h'3", "@/h'3"}}},
    {FZ_KEY_BASE, IN(LEASE) | IN(ALONE), SPEC_BOTH, {{NULL, "0"}, {"1", "1"}, {"2", "2"}}},
    {FZ_KEY_COUNT, IN(LEASE) | IN(ALONE), SPEC_BOTH, {{NULL, NULL}, {"1", "1"}, {"2", "2"}}},
    {FZ_KEY_HORIZON, IN(LEASE) | IN(ALONE), SPEC_BOTH, {{NULL, NULL}, {"9s", "9000ms"}, {"60s", "60000000us"}}},
    {FZ_KEY_WORKERS, IN(LEASE) | IN(ALONE), SPEC_BOTH, {{NULL, NULL}, {"4", "4"}, {"8", "8"}}},
    {FZ_KEY_MAX_SKEW,
     IN(LEASE) | IN(ALONE) | IN(SLOTS),
     SPEC_BOTH,
     {{NULL, NULL}, {"9ms", "9000us"}, {"1s", "1000ms"}}},
    {FZ_KEY_ON_LOSS, IN(ALONE), SPEC_GENERATOR, {{NULL, "move"}, {"stop", "stop"}, {"stop", "stop"}}},
};
enum { CHOICE_KEYS = sizeof choices / sizeof choices[0] };

bool spec_is_policy(enum fz_key key)
{
    return key == FZ_KEY_ON_FULL || key == FZ_KEY_ON_BACKWARD || key == FZ_KEY_MAX_LEAD || key == FZ_KEY_MAX_WAIT ||
           key == FZ_KEY_START;
}

const struct spec_choice *spec_choice(size_t i)
{
    return i < CHOICE_KEYS ? &choices[i] : NULL;
}

static const struct spec_choice *choice_of(enum fz_key key)
{
    for (size_t i = 0; i < CHOICE_KEYS; i++) {
        if (choices[i].key == key)
            return &choices[i];
    }
    return NULL;
}

static bool has_place(enum spec_shape shape)
{
    return shape == SPEC_FILES || shape == SPEC_LEASE;
}

static bool has_url(enum spec_shape shape)
{
    return shape >= SPEC_SLOTS;
}

/* The part of `apart` that a shape has. */
static int apart_in(enum spec_shape shape, int apart)
{
    return has_place(shape) ? apart : apart & SPEC_GENERATOR;
}

/* ---- meanings ----------------------------------------------------------------------- */

static int64_t any_epoch(uint64_t *random)
{
    static const int64_t epochs[] = {1767225600000, 1288834974657, 1420070400000, 1262304000000, 1700000000123};

    return epochs[url_pick(random, sizeof epochs / sizeof epochs[0])];
}

static void make_layout(frazil_layout *ret, bool is_sno, uint64_t *random)
{
    unsigned presets = 0;
    frazil_error why;

    while (frazil_layout_preset(presets) != NULL)
        presets++;
    do {
        *ret = *frazil_layout_preset(url_pick(random, presets));
    } while ((ret->kind == FRAZIL_LAYOUT_SNO) != is_sno || ret->worker_bits < 4);
    if (is_sno || url_pick(random, 2) == 0)
        return;
    unsigned worker_bits = 4 + url_pick(random, 8);
    unsigned sequence_bits = 7 + url_pick(random, 63 - 42 - worker_bits - 6);
    *ret = (frazil_layout){.name = "custom",
                           .epoch_unix_ms = any_epoch(random),
                           .kind = FRAZIL_LAYOUT_64,
                           .tick_ms = 1 + url_pick(random, 9),
                           .time_bits = (uint8_t)(41 + url_pick(random, 2)),
                           .worker_bits = (uint8_t)worker_bits,
                           .sequence_bits = (uint8_t)sequence_bits,
                           .sequence_above_worker = url_pick(random, 3) == 0};
    if (frazil_layout_validate(ret, &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
}

static uint32_t any_worker(const struct spec_meaning *meaning, uint64_t *random)
{
    uint32_t workers = UINT32_C(1) << meaning->layout.worker_bits;

    if (meaning->way == SPEC_OCTET && workers > 256)
        workers = 256;
    return url_pick(random, workers);
}

uint64_t spec_top(const frazil_layout *layout)
{
    return (UINT64_C(1) << layout->sequence_bits) - 1;
}

/* Bounds that leave a batch its room. */
static void make_bounds(struct spec_meaning *meaning, uint64_t *random)
{
    uint64_t top = spec_top(&meaning->layout);

    meaning->seq_min = url_pick(random, 3) == 0 ? 1 + url_pick(random, 8) : 0;
    meaning->seq_max = url_pick(random, 3) == 0 ? top - 1 - url_pick(random, 8) : top;
}

static enum spec_way way_of(enum fz_key key)
{
    switch (key) {
    case FZ_KEY_BASE:
        return SPEC_BASE;
    case FZ_KEY_DATACENTER:
        return SPEC_DATACENTER;
    case FZ_KEY_HOSTNAME:
        return SPEC_ORDINAL;
    case FZ_KEY_IP:
        return SPEC_OCTET;
    case FZ_KEY_PARTITION:
        return SPEC_PARTITION;
    case FZ_KEY_EXPECT:
        return SPEC_HASH;
    default:
        return SPEC_ANY;
    }
}

/* The shapes in which a key that is no choice can be said; 0: nobody has decided. */
static unsigned shapes_of(enum fz_key key)
{
    const struct spec_choice *choice = choice_of(key);

    switch (key) {
    case FZ_KEY_LAYOUT:
    case FZ_KEY_EPOCH:
    case FZ_KEY_TICK:
    case FZ_KEY_WORKER:
    case FZ_KEY_SEQ_MIN:
    case FZ_KEY_SEQ_MAX:
    case FZ_KEY_BASE:
        return everywhere;
    case FZ_KEY_DATACENTER:
    case FZ_KEY_HOSTNAME:
    case FZ_KEY_IP:
    case FZ_KEY_CONFIG:
        return IN(FILES) | IN(MEMORY) | IN(SLOTS);
    case FZ_KEY_PARTITION:
    case FZ_KEY_EXPECT:
        return IN(FILES) | IN(MEMORY);
    case FZ_KEY_STATE:
        return IN(FILES) | IN(SLOTS);
    case FZ_KEY_SHARE:
        return IN(LEASE);
    default:
        return choice == NULL ? 0 : choice->shapes;
    }
}

bool spec_is_here(enum fz_key key)
{
    unsigned shapes = shapes_of(key);

    return url_kind(0) != NULL || shapes == 0 || (shapes & (IN(FILES) | IN(MEMORY))) != 0;
}

static void make_choices(struct spec_meaning *meaning, enum fz_key key, uint64_t *random)
{
    for (size_t i = 0; i < CHOICE_KEYS; i++) {
        if ((choices[i].shapes >> meaning->shape & 1) != 0 && url_pick(random, 4) == 0)
            meaning->choice[choices[i].key] = url_pick(random, SPEC_VALUES);
    }
    bool is_behaviour = key == FZ_KEY_BEHAVIOUR;
    if (!is_behaviour && spec_is_policy(key))
        meaning->choice[FZ_KEY_BEHAVIOUR] = 0;
    for (int other = 0; other < FZ_KEYS_TOTAL; other++) {
        if (spec_is_policy((enum fz_key)other) && (is_behaviour || meaning->choice[FZ_KEY_BEHAVIOUR] != 0))
            meaning->choice[other] = 0;
    }
    if (key == FZ_KEY_STATE || key == FZ_KEY_SHARE) /* the other shape does not know all of them */
        memset(meaning->choice, 0, sizeof meaning->choice);
}

bool spec_make(struct spec_meaning *ret, enum fz_key key, uint64_t *random)
{
    struct spec_meaning meaning = {.way = way_of(key), .from_config = key == FZ_KEY_CONFIG};
    unsigned shapes = shapes_of(key);
    const struct fz_url_kind *kind;
    unsigned kinds = 0;

    while (url_kind(kinds) != NULL)
        kinds++;
    if (shapes == 0)
        return false;
    do {
        meaning.shape = (enum spec_shape)url_pick(random, SPEC_SHAPES);
    } while ((shapes >> meaning.shape & 1) == 0 || (has_url(meaning.shape) && kinds == 0));
    bool is_ids = key == FZ_KEY_EPOCH || key == FZ_KEY_TICK || key == FZ_KEY_LAYOUT || key == FZ_KEY_DATACENTER;
    bool is_sno = key == FZ_KEY_PARTITION || (!is_ids && meaning.shape != SPEC_SLOTS && url_pick(random, 8) == 0);
    do {
        make_layout(&meaning.layout, is_sno, random);
    } while (meaning.way == SPEC_OCTET && meaning.layout.worker_bits < SPEC_OCTET_BITS);
    meaning.worker = any_worker(&meaning, random);
    make_bounds(&meaning, random);
    kind = url_kind(kinds == 0 ? 0 : url_pick(random, kinds));
    if (kind != NULL)
        url_make(&meaning.url, kind, random);
    make_choices(&meaning, key, random);
    *ret = meaning;
    return true;
}

/* Another layout: its bits, or their order. */
static int change_bits(struct spec_meaning *meaning, uint64_t *random)
{
    frazil_layout *l = &meaning->layout;
    int total = l->time_bits + l->worker_bits + l->sequence_bits;
    bool shares_words = meaning->shape == SPEC_FILES;

    memcpy(l->name, "custom", sizeof "custom");
    l->datacenter_bits = 0;
    switch (url_pick(random, 3)) {
    case 0:
        l->time_bits = (uint8_t)(total < 63 ? l->time_bits + 1 : l->time_bits - 1);
        /* Time is the highest field: how wide it is decides nothing, but for those who must agree about it. */
        return shares_words ? SPEC_GENERATOR : SPEC_BOTH;
    case 1:
        l->sequence_above_worker = !l->sequence_above_worker;
        return SPEC_BOTH;
    default:
        l->sequence_bits = (uint8_t)(l->sequence_bits - 1);
        if (meaning->seq_max > spec_top(l) || meaning->seq_max == spec_top(l) * 2 + 1)
            meaning->seq_max = spec_top(l);
        return SPEC_BOTH;
    }
}

static int change_url(struct spec_meaning *meaning, uint64_t *random)
{
    unsigned parts = URL_FIRST_KEY;
    unsigned part;

    while (url_key(meaning->url.kind, parts - URL_FIRST_KEY) != NULL)
        parts++;
    do {
        part = url_pick(random, parts);
    } while (!url_change(&meaning->url, part, random));
    return part == URL_PASSWORD && !url_is_of_password(&meaning->url) ? SPEC_GENERATOR : SPEC_BOTH;
}

static int change_worker(struct spec_meaning *meaning, uint64_t *random)
{
    uint32_t before = meaning->worker;

    do {
        meaning->worker = any_worker(meaning, random);
    } while (meaning->worker == before);
    return SPEC_BOTH;
}

static int change_choice(struct spec_meaning *meaning, const struct spec_choice *choice, uint64_t *random)
{
    unsigned before = meaning->choice[choice->key];
    unsigned *now = &meaning->choice[choice->key];

    do {
        *now = url_pick(random, SPEC_VALUES);
    } while (*now == before || choice->values[*now][0] == choice->values[before][0]);
    return choice->apart;
}

static int change_time(struct spec_meaning *meaning, enum fz_key key)
{
    memcpy(meaning->layout.name, "custom", sizeof "custom");
    if (key == FZ_KEY_EPOCH)
        meaning->layout.epoch_unix_ms += 1;
    else
        meaning->layout.tick_ms += 1;
    return SPEC_BOTH;
}

static int change_key(struct spec_meaning *meaning, enum fz_key key, uint64_t *random)
{
    switch (key) {
    case FZ_KEY_LAYOUT:
        return change_bits(meaning, random);
    case FZ_KEY_EPOCH:
    case FZ_KEY_TICK:
        return change_time(meaning, key);
    case FZ_KEY_WORKER:
        return meaning->shape == SPEC_LEASE || meaning->shape == SPEC_ALONE ? change_url(meaning, random)
                                                                            : change_worker(meaning, random);
    case FZ_KEY_SEQ_MIN:
        meaning->seq_min += 1;
        return SPEC_BOTH;
    case FZ_KEY_SEQ_MAX:
        meaning->seq_max -= 1;
        return SPEC_BOTH;
    case FZ_KEY_STATE:
        if (meaning->shape == SPEC_SLOTS)
            return change_url(meaning, random);
        meaning->shape = SPEC_MEMORY;
        return SPEC_BOTH;
    case FZ_KEY_SHARE:
        meaning->shape = SPEC_ALONE;
        return SPEC_BOTH;
    case FZ_KEY_EXPECT:
        meaning->choice[key]++;
        return SPEC_NOTHING;
    default:
        break;
    }
    const struct spec_choice *choice = choice_of(key);
    return choice != NULL && (choice->shapes >> meaning->shape & 1) != 0 ? change_choice(meaning, choice, random)
                                                                         : change_worker(meaning, random);
}

int spec_change(struct spec_meaning *meaning, enum fz_key key, uint64_t *random)
{
    enum spec_shape before = meaning->shape;

    return apart_in(before, change_key(meaning, key, random));
}
