/* SPDX-License-Identifier: MIT */
#include "guess.h"

#include "fields.h"
#include "output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_MS INT64_C(86400000)
#define SUGGESTED_MAX 3
#define SUGGESTED_SCORE_MIN 50

enum { SCORE_MAX = 100 };

struct guess {
    const struct candidate *candidate;
    const frazil_layout *layout; /* the candidate's */
    const struct ids_reading *reading;
    unsigned score;    /* 0 .. SCORE_MAX */
    unsigned position; /* keeps the order of equals */
    const char *reason;
    bool fits; /* the fields below are known */
    int64_t unix_ms;
    uint64_t worker;
    uint64_t sequence;
};

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
    unsigned small = small_number(guess->sequence, guess->layout->sequence_bits, 20);

    guess->score = 60 + (guess->candidate->is_random ? 10 : small);
    guess->reason =
        small >= 10 && !guess->candidate->is_random ? "its time is past, its sequence small" : "its time is past";
    if (age_ms < DAY_MS) {
        guess->score += 20;
        guess->reason = "its time is within a day of now";
    } else if (age_ms < 30 * DAY_MS) {
        guess->score += 10;
        guess->reason = "its time is in the last 30 days";
    }
    /* Above all others, whose times are possible by chance. */
    if (guess->candidate->is_own)
        guess->score = SCORE_MAX;
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
        guess->reason = "within a day of the epoch: probably a small number, not an id";
    } else if (guess->unix_ms < guess->candidate->first_unix_ms) {
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

/* Judges each candidate for each reading, and sorts the guesses; candidates is where they point to. */
static size_t judge_all(const struct ids_layout *own, const struct ids_reading *readings, size_t count,
                        struct candidate candidates[CANDIDATES_MAX], struct guess *guesses)
{
    int64_t now_ms = fields_now();
    size_t all = candidates_list(own, candidates);
    unsigned n = 0;

    for (size_t r = 0; r < count; r++) {
        for (size_t i = 0; i < all; i++) {
            const frazil_layout *layout = &candidates[i].layout.layout;
            if (layout->kind != readings[r].id.kind)
                continue;
            guesses[n] =
                (struct guess){.candidate = &candidates[i], .layout = layout, .reading = &readings[r], .position = n};
            judge(&guesses[n], now_ms);
            n++;
        }
    }
    qsort(guesses, n, sizeof guesses[0], better_first);
    return n;
}

/* Whether the name of the candidate is none that --layout takes. */
static bool needs_label(const struct guess *g)
{
    return strcmp(g->candidate->name, g->candidate->layout.label) != 0;
}

static void print_json(const struct guess *g)
{
    char time[FIELDS_TEXT_SIZE], id[IDS_TEXT_SIZE];
    frazil_error err;

    if (ids_format(&g->reading->id, IDS_FORM_ANY, id, &err) != FRAZIL_OK)
        return;
    output_format("{\"layout\":\"%s\",", g->candidate->layout.label);
    if (needs_label(g))
        output_format("\"of\":\"%s\",", g->candidate->name);
    output_format("\"score\":%u,\"reason\":\"%s\",\"form\":\"%s\",\"%s\":\"%s\"", g->score, g->reason,
                  ids_form_name(g->reading->form), g->layout->kind == FRAZIL_LAYOUT_SNO ? "text" : "id", id);
    if (g->fits)
        output_format(",\"time\":\"%s\",\"unix_ms\":%" PRId64 ",\"%s\":%" PRIu64 ",\"sequence\":%" PRIu64,
                      fields_time(g->unix_ms, time), g->unix_ms,
                      g->layout->kind == FRAZIL_LAYOUT_SNO ? "partition" : "worker", g->worker, g->sequence);
    output_string("}");
}

static void print_row(const struct guess *g)
{
    char time[FIELDS_TEXT_SIZE];

    output_format("%5u  %-9s %-9s ", g->score, g->candidate->name, ids_form_name(g->reading->form));
    if (g->fits)
        output_format("%-24s %6" PRIu64 " %8" PRIu64 "  %s", fields_time(g->unix_ms, time), g->worker, g->sequence,
                      g->reason);
    else
        output_format("%-24s %6s %8s  %s", "-", "-", "-", g->reason);
    if (needs_label(g) && g->score >= SUGGESTED_SCORE_MIN)
        output_format(": --layout '%s'", g->candidate->layout.label);
    output_string("\n");
}

static void print_head(void)
{
    output_format("%5s  %-9s %-9s %-24s %6s %8s  %s\n", "score", "layout", "read as", "time", "worker", "sequence",
                  "why");
}

void guess_suggest(const char *label, const struct ids_reading *reading)
{
    static struct candidate candidates[CANDIDATES_MAX];
    static struct guess guesses[CANDIDATES_MAX];
    size_t n = judge_all(NULL, reading, 1, candidates, guesses), shown = 0;

    output_format("\nThat time is in the future, so it is probably not an id of %s.", label);
    for (; shown < n && shown < SUGGESTED_MAX && guesses[shown].score >= SUGGESTED_SCORE_MIN; shown++) {
        if (shown == 0) {
            output_string("  It may be one of\n");
            print_head();
        }
        print_row(&guesses[shown]);
    }
    if (shown == 0)
        output_string("  No known layout fits it; name its layout with --layout.\n");
    else
        output_format("To decode it as one: frazil inspect --layout %s%s%s\n", needs_label(&guesses[0]) ? "'" : "",
                      guesses[0].candidate->layout.label, needs_label(&guesses[0]) ? "'" : "");
}

void guess_print(const char *text, size_t len, const struct ids_layout *own, const struct ids_reading *readings,
                 size_t count, bool json)
{
    static struct candidate candidates[CANDIDATES_MAX];
    static struct guess guesses[IDS_FORM_COUNT * CANDIDATES_MAX];
    size_t n = judge_all(own, readings, count, candidates, guesses);

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
