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
        if (__builtin_mul_overflow(since, tick_ms, &since) || __builtin_sub_overflow(pairs[i].unix_ms, since, &epoch))
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

static void print_fit(const struct fit *fit, bool json)
{
    char low[FIELDS_TEXT_SIZE], high[FIELDS_TEXT_SIZE];
    unsigned time_bits = ID_BITS - fit->below;

    if (json) {
        output_format("{\"bits_below_time\":%u,\"tick_ms\":%" PRId64 ",\"epoch_from\":%" PRId64 ",\"epoch_to\":%" PRId64
                      "}\n",
                      fit->below, fit->tick_ms, fit->low, fit->high);
        return;
    }
    output_format("bits below time %u\ntick            %" PRId64 " ms\nepoch           %s  (%" PRId64 ")\n", fit->below,
                  fit->tick_ms, fields_time(fit->low, low), fit->low);
    if (fit->high != fit->low)
        output_format("             to %s  (%" PRId64 ")\n", fields_time(fit->high, high), fit->high);
    output_format("\nTry it: frazil inspect --layout '%u/0/%u epoch=%" PRId64 " tick=%" PRId64 "ms'\n"
                  "The times do not show how the %u bits are divided into worker and sequence.\n",
                  time_bits, fit->below, fit->low, fit->tick_ms, fit->below);
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
    print_fit(&best, json);
    return STATUS_OK;
}
