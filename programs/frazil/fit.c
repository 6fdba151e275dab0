/* SPDX-License-Identifier: MIT */
#include "fit.h"

#include "command.h"
#include "complain.h"
#include "fields.h"
#include "options.h"
#include "output.h"

#include <frazil.h>

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#define PAIRS_MAX 64
#define BELOW_MIN 4
#define BELOW_MAX 40
/* How far the times may be from those of the ids: another program noted them, perhaps in whole seconds. */
#define SLACK_MS 2000
#define ID_BITS 63
/* No epoch lies outside of the years 1 to 9999. */
#define EPOCH_MIN_MS INT64_C(-62135596800000)
#define EPOCH_MAX_MS INT64_C(253402300799999)

struct pair {
    uint64_t id;
    int64_t unix_ms;
};

/* The range of the epochs that the pairs give, with this many bits below the time and this many ms a tick. */
struct fit {
    unsigned below;
    int64_t tick_ms;
    int64_t low, high;
};

/* Where the epoch lies, and which is meant. */
struct epochs {
    int64_t from, to;
    int64_t likely;
    const char *preset; /* whose epoch that is, or NULL */
    bool is_exact;      /* one epoch suits all pairs */
};

static bool read_pair(const char *text, struct pair *ret)
{
    const char *equals = strchr(text, '=');
    frazil_error err;

    if (equals == NULL) {
        complain("layout find takes pairs ID=TIME, such as 1541815603606036480=2022-06-28T16:07:40Z, not %s",
                 quoted(text));
        return false;
    }
    if (frazil_id_parse(FRAZIL_TEXT_DEC, text, (size_t)(equals - text), &ret->id, &err) != FRAZIL_OK ||
        options_parse_time(equals + 1, &ret->unix_ms, &err) != FRAZIL_OK) {
        complain("%s: %s", quoted(text), err.message);
        return false;
    }
    return true;
}

/* The range of the epochs that the pairs give. */
static struct fit measure(const struct pair *pairs, size_t count, unsigned below, int64_t tick_ms)
{
    struct fit fit = {.below = below, .tick_ms = tick_ms, .low = INT64_MAX, .high = INT64_MIN};

    for (size_t i = 0; i < count; i++) {
        int64_t epoch = INT64_MIN;
        int64_t since = (int64_t)(pairs[i].id >> below);
        if (__builtin_mul_overflow(since, tick_ms, &since) || __builtin_sub_overflow(pairs[i].unix_ms, since, &epoch) ||
            epoch < EPOCH_MIN_MS || epoch > EPOCH_MAX_MS)
            return (struct fit){.low = 1, .high = 0}; /* no epoch */
        fit.low = epoch < fit.low ? epoch : fit.low;
        fit.high = epoch > fit.high ? epoch : fit.high;
    }
    return fit;
}

static bool fits(const struct fit *fit)
{
    return fit->low <= fit->high && fit->high - fit->low <= SLACK_MS + fit->tick_ms;
}

/* The time of the pairs, from the first to the last. */
static int64_t span_of(const struct pair *pairs, size_t count)
{
    int64_t low = INT64_MAX, high = INT64_MIN;

    for (size_t i = 0; i < count; i++) {
        low = pairs[i].unix_ms < low ? pairs[i].unix_ms : low;
        high = pairs[i].unix_ms > high ? pairs[i].unix_ms : high;
    }
    return high - low;
}

/* Finds all that fit; returns how many, of which the narrowest is *ret. */
static size_t find(const struct pair *pairs, size_t count, struct fit *ret)
{
    static const int64_t ticks_ms[] = {1, 10, 100, 1000};
    size_t found = 0;

    for (size_t t = 0; t < sizeof ticks_ms / sizeof ticks_ms[0]; t++) {
        for (unsigned below = BELOW_MIN; below <= BELOW_MAX; below++) {
            struct fit fit = measure(pairs, count, below, ticks_ms[t]);
            if (!fits(&fit))
                continue;
            if (found == 0 || fit.high - fit.low < ret->high - ret->low)
                *ret = fit;
            found++;
        }
    }
    return found;
}

/* The epoch of a preset with these bits and this tick, if it lies there. */
static void name_preset(const struct fit *fit, struct epochs *epochs)
{
    const frazil_layout *preset;

    for (size_t i = 0; (preset = frazil_layout_preset(i)) != NULL && epochs->preset == NULL; i++) {
        if (preset->kind == FRAZIL_LAYOUT_64 && preset->worker_bits + preset->sequence_bits == fit->below &&
            preset->tick_ms == fit->tick_ms && preset->epoch_unix_ms >= epochs->from &&
            preset->epoch_unix_ms <= epochs->to) {
            epochs->likely = preset->epoch_unix_ms;
            epochs->preset = preset->name;
        }
    }
}

/* The instant in this range that a person would choose: a midnight, else a whole hour, and so on. */
static int64_t roundest(int64_t from, int64_t to)
{
    static const int64_t units_ms[] = {86400000, 3600000, 60000, 1000, 100, 10};

    for (size_t i = 0; i < sizeof units_ms / sizeof units_ms[0]; i++) {
        int64_t past = to % units_ms[i];
        int64_t instant = to - (past < 0 ? past + units_ms[i] : past);
        if (instant >= from)
            return instant;
    }
    return to;
}

/* An id hides up to a tick of its time, and a time in whole seconds up to a second of its own. */
static struct epochs locate(const struct pair *pairs, size_t count, const struct fit *fit)
{
    struct epochs epochs = {.from = fit->high - fit->tick_ms + 1, .to = INT64_MAX};
    int64_t latest = INT64_MIN;

    for (size_t i = 0; i < count; i++) {
        struct fit alone = measure(&pairs[i], 1, fit->below, fit->tick_ms);
        int64_t to = alone.low + (pairs[i].unix_ms % 1000 == 0 ? 999 : 0);
        epochs.to = to < epochs.to ? to : epochs.to;
        latest = to > latest ? to : latest;
    }
    epochs.is_exact = epochs.from <= epochs.to;
    if (!epochs.is_exact) {
        epochs.from = fit->low - fit->tick_ms + 1;
        epochs.to = latest;
    }
    epochs.likely = roundest(epochs.from, epochs.to);
    name_preset(fit, &epochs);
    return epochs;
}

static void print_fit(const struct fit *fit, const struct epochs *epochs, bool json)
{
    char likely[FIELDS_TEXT_SIZE], from[FIELDS_TEXT_SIZE], to[FIELDS_TEXT_SIZE];
    unsigned time_bits = ID_BITS - fit->below;

    if (json) {
        output_format("{\"bits_below_time\":%u,\"tick_ms\":%" PRId64 ",\"epoch\":%" PRId64 ",\"epoch_from\":%" PRId64
                      ",\"epoch_to\":%" PRId64 "}\n",
                      fit->below, fit->tick_ms, epochs->likely, epochs->from, epochs->to);
        return;
    }
    output_format("bits below time %u\ntick            %" PRId64 " ms\nepoch           %s  (%" PRId64 ")%s%s\n",
                  fit->below, fit->tick_ms, fields_time(epochs->likely, likely), epochs->likely,
                  epochs->preset != NULL ? ", that of " : "", epochs->preset != NULL ? epochs->preset : "");
    if (epochs->from != epochs->to)
        output_format("  possible from %s  (%" PRId64 ")\n             to %s  (%" PRId64 ")\n",
                      fields_time(epochs->from, from), epochs->from, fields_time(epochs->to, to), epochs->to);
    if (!epochs->is_exact)
        output_format("The times are not exactly those of the ids: no epoch suits all pairs.\n");
    output_format("\nTry it: frazil inspect --layout '%u/0/%u epoch=%" PRId64 " tick=%" PRId64 "ms'\n"
                  "The times do not show how the %u bits are divided into worker and sequence.\n",
                  time_bits, fit->below, epochs->likely, fit->tick_ms, fit->below);
}

int fit_print(char *const *texts, size_t count, bool json)
{
    struct pair pairs[PAIRS_MAX];
    struct fit best = {.below = 0};

    if (count < 2 || count > PAIRS_MAX) {
        complain("layout find takes 2 to %d pairs ID=TIME, not %zu", PAIRS_MAX, count);
        return STATUS_USAGE;
    }
    for (size_t i = 0; i < count; i++) {
        if (!read_pair(texts[i], &pairs[i]))
            return STATUS_USAGE;
    }
    if (span_of(pairs, count) <= 10 * SLACK_MS) {
        complain("the times of the pairs are too close together: take ids that were made minutes or days apart");
        return STATUS_BAD_VALUE;
    }
    size_t found = find(pairs, count, &best);
    if (found != 1) {
        complain(found == 0 ? "no layout with the time above %d to %d bits and a tick of 1, 10, 100 or 1000 ms fits "
                              "all pairs to %d ms: check that each time belongs to its id"
                            : "more than one layout fits (above %d to %d bits, to %d ms): take ids that were made "
                              "further apart",
                 BELOW_MIN, BELOW_MAX, SLACK_MS);
        return STATUS_BAD_VALUE;
    }
    struct epochs epochs = locate(pairs, count, &best);
    print_fit(&best, &epochs, json);
    return STATUS_OK;
}
