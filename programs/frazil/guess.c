/* SPDX-License-Identifier: MIT */
#include "guess.h"

#include "fields.h"
#include "output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRESETS_MAX 32
#define DAY_MS INT64_C(86400000)
#define SUGGESTED_MAX 3
#define SUGGESTED_SCORE_MIN 50

/*
 * Since when ids of a layout can have been issued, where that is later than its
 * epoch.  Nothing of this family is older than Snowflake itself, of June 2010.
 */
static const struct {
    const char *layout;
    int64_t unix_ms;
} first_used[] = {
    {"mastodon", INT64_C(1506816000000)}, /* 2017-10-01 */
    {"sno", INT64_C(1546300800000)},      /* 2019-01-01 */
};
static const int64_t family_first_used_unix_ms = INT64_C(1275350400000); /* 2010-06-01 */

struct guess {
    const frazil_layout *layout;
    const struct ids_reading *reading;
    unsigned score;    /* 0 .. 100 */
    unsigned position; /* keeps the order of equals */
    const char *reason;
    bool fits; /* the fields below are known */
    int64_t unix_ms;
    uint64_t worker;
    uint64_t sequence;
};

static int64_t first_use(const frazil_layout *layout)
{
    int64_t first = family_first_used_unix_ms;

    for (size_t i = 0; i < sizeof first_used / sizeof first_used[0]; i++) {
        if (strcmp(first_used[i].layout, layout->name) == 0)
            first = first_used[i].unix_ms;
    }
    return layout->epoch_unix_ms > first ? layout->epoch_unix_ms : first;
}

/* weight for 0, down to nothing for a number that fills its field: few ids are made in the same tick. */
static unsigned small_number(uint64_t value, unsigned bits, unsigned weight)
{
    unsigned used = 0;

    for (; value != 0; value >>= 1)
        used++;
    return weight - weight * used / bits;
}

/* Reads the fields; false if the id is none of the layout. */
static bool take_apart(struct guess *guess)
{
    frazil_sno_fields sno;
    frazil_fields parts;

    if (guess->layout->kind == FRAZIL_LAYOUT_SNO) {
        frazil_sno_decompose(&guess->reading->id.sno, &sno);
        guess->unix_ms = sno.unix_ms;
        guess->worker = sno.partition;
        guess->sequence = sno.sequence;
        return true;
    }
    if (frazil_id_decompose(guess->layout, guess->reading->id.number, &parts, NULL) != FRAZIL_OK)
        return false;
    guess->unix_ms = parts.unix_ms;
    guess->worker = parts.worker;
    guess->sequence = parts.sequence;
    return true;
}

/*
 * An id whose time is possible.  A wrong layout hits the last days by chance
 * only, and few ids are made in the same tick.
 */
static void judge_past(struct guess *guess, int64_t age_ms)
{
    guess->score = 60 + small_number(guess->sequence, guess->layout->sequence_bits, 20);
    guess->reason = guess->score >= 70 ? "its time is past, its sequence small" : "its time is past";
    if (age_ms < DAY_MS) {
        guess->score += 20;
        guess->reason = "its time is within a day of now";
    } else if (age_ms < 30 * DAY_MS) {
        guess->score += 10;
        guess->reason = "its time is in the last 30 days";
    }
}

static void judge(struct guess *guess, int64_t now_ms)
{
    guess->fits = take_apart(guess);
    guess->score = 0;
    if (!guess->fits) {
        guess->reason = "it has bits above the layout's fields";
    } else if (guess->unix_ms > now_ms + 365 * DAY_MS) {
        guess->reason = "its time is far in the future";
    } else if (guess->unix_ms > now_ms + DAY_MS) {
        guess->score = 5;
        guess->reason = "its time is in the future";
    } else if (guess->unix_ms - guess->layout->epoch_unix_ms < DAY_MS) {
        guess->score = 10;
        guess->reason = "within a day of the epoch: rather a small number than an id";
    } else if (guess->unix_ms < first_use(guess->layout)) {
        guess->score = 15;
        guess->reason = "its time is before such ids existed";
    } else {
        judge_past(guess, now_ms - guess->unix_ms);
    }
}

static int better_first(const void *a, const void *b)
{
    const struct guess *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->position < y->position ? -1 : 1;
}

static size_t judge_all(const struct ids_reading *readings, size_t count, struct guess *guesses)
{
    int64_t now_ms = fields_now();
    size_t presets = frazil_layout_preset_count();
    unsigned n = 0;

    for (size_t r = 0; r < count; r++) {
        for (size_t p = 0; p < presets && p < PRESETS_MAX; p++) {
            const frazil_layout *layout = frazil_layout_preset(p);
            if (layout->kind != readings[r].id.kind)
                continue;
            guesses[n] = (struct guess){.layout = layout, .reading = &readings[r], .position = n};
            judge(&guesses[n], now_ms);
            n++;
        }
    }
    qsort(guesses, n, sizeof guesses[0], better_first);
    return n;
}

static void print_json(const struct guess *g)
{
    char time[FIELDS_TEXT_SIZE], id[IDS_TEXT_SIZE];
    frazil_error err;

    if (ids_format(&g->reading->id, IDS_FORM_ANY, id, &err) != FRAZIL_OK)
        return;
    output_format("{\"layout\":\"%s\",\"score\":%u,\"reason\":\"%s\",\"form\":\"%s\",\"%s\":\"%s\"", g->layout->name,
                  g->score, g->reason, ids_form_name(g->reading->form),
                  g->layout->kind == FRAZIL_LAYOUT_SNO ? "text" : "id", id);
    if (g->fits)
        output_format(",\"time\":\"%s\",\"unix_ms\":%" PRId64 ",\"%s\":%" PRIu64 ",\"sequence\":%" PRIu64,
                      fields_time(g->unix_ms, time), g->unix_ms,
                      g->layout->kind == FRAZIL_LAYOUT_SNO ? "partition" : "worker", g->worker, g->sequence);
    output_string("}");
}

static void print_row(const struct guess *g)
{
    char time[FIELDS_TEXT_SIZE];

    if (g->fits)
        output_format("%5u  %-9s %-9s %-24s %6" PRIu64 " %8" PRIu64 "  %s\n", g->score, g->layout->name,
                      ids_form_name(g->reading->form), fields_time(g->unix_ms, time), g->worker, g->sequence,
                      g->reason);
    else
        output_format("%5u  %-9s %-9s %-24s %6s %8s  %s\n", g->score, g->layout->name, ids_form_name(g->reading->form),
                      "-", "-", "-", g->reason);
}

static void print_head(void)
{
    output_format("%5s  %-9s %-9s %-24s %6s %8s  %s\n", "score", "layout", "read as", "time", "worker", "sequence",
                  "why");
}

void guess_suggest(const char *label, const struct ids_reading *reading)
{
    static struct guess guesses[PRESETS_MAX];
    size_t n = judge_all(reading, 1, guesses), shown = 0;

    output_format("\nNo clock shows that time yet, so it is hardly an id of %s.", label);
    for (; shown < n && shown < SUGGESTED_MAX && guesses[shown].score >= SUGGESTED_SCORE_MIN; shown++) {
        if (shown == 0) {
            output_string("  It may be one of\n");
            print_head();
        }
        print_row(&guesses[shown]);
    }
    if (shown == 0)
        output_string("  No preset fits it; name its layout with --layout.\n");
    else
        output_format("To take it apart as such: frazil inspect --layout %s\n", guesses[0].layout->name);
}

void guess_print(const char *text, size_t len, const struct ids_reading *readings, size_t count, bool json)
{
    static struct guess guesses[IDS_FORM_COUNT * PRESETS_MAX];
    size_t n = judge_all(readings, count, guesses);

    if (!json) {
        output_foreign_n(text, len);
        output_string("\n");
        print_head();
        for (size_t i = 0; i < n; i++)
            print_row(&guesses[i]);
        return;
    }
    output_string("{\"input\":");
    output_json_string_n(text, len);
    output_string(",\"guesses\":[");
    for (size_t i = 0; i < n; i++) {
        output_string(i == 0 ? "" : ",");
        print_json(&guesses[i]);
    }
    output_string("]}\n");
}
