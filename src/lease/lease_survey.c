/* SPDX-License-Identifier: MIT */
/*
 * One look at a whole namespace, in as few round trips as the register has for
 * it, and what is worth trying after it.  Of many records only the few that come
 * first in the order of trying are remembered.
 */
#include <assert.h>
#include <string.h>

#include "core/sentence.h"
#include "lease_internal.h"

/* Puts a candidate into its place by until; the last one falls out when there is no room. */
static void shortlist_insert(struct fz_shortlist *list, const struct fz_candidate *candidate)
{
    size_t i = list->n;

    while (i > 0 && list->at[i - 1].record.until > candidate->record.until)
        i--;
    if (i == FZ_SHORTLIST)
        return;
    if (list->n < FZ_SHORTLIST)
        list->n++;
    memmove(&list->at[i + 1], &list->at[i], (list->n - 1 - i) * sizeof list->at[0]);
    list->at[i] = *candidate;
}

/* Where a worker lies in the window, counted from its start and round the end of the range. */
static uint64_t window_index(const struct fz_survey *survey, uint32_t worker)
{
    uint64_t offset = worker - survey->first;

    return offset >= survey->start ? offset - survey->start : offset + survey->count - survey->start;
}

static void note_seen(struct fz_survey *survey, uint32_t worker)
{
    uint64_t index = window_index(survey, worker);

    if (index < FZ_WINDOW_BITS)
        survey->seen[index / 8] |= (unsigned char)(1U << index % 8);
}

/* Whether it is the record of the worker in trouble, as far as a token can say: nothing safe depends on it. */
static bool bears_own_token(const struct fz_survey *survey, uint32_t worker, const struct fz_worker_record *record)
{
    const struct fz_lease *lease = survey->lease;

    return lease->trouble.kind != FZ_TROUBLE_NONE && worker == lease->trouble.worker && !record->released &&
           fz_token_equal(record->token, lease->self.token);
}

static void note_worker(struct fz_survey *survey, uint32_t worker, const struct fz_record *raw)
{
    struct fz_candidate candidate = {.worker = worker, .version = raw->version};

    /* Several services may share a namespace, each with its own range. */
    if (worker < survey->first || worker - survey->first >= survey->count)
        return;
    survey->taken++;
    note_seen(survey, worker);
    /* Never taken: nobody can tell above which tick the next owner would be safe. */
    if (fz_worker_record_parse(raw->data, raw->len, &candidate.record, NULL) != FRAZIL_OK) {
        survey->unreadable++;
        return;
    }
    bool own = bears_own_token(survey, worker, &candidate.record);
    /* A record that was swapped away from us and bears our token: only a copy of this machine writes that. */
    survey->clone = survey->clone || (own && survey->lease->trouble.kind == FZ_TROUBLE_LOST);
    if (own && survey->lease->trouble.kind != FZ_TROUBLE_LOST) {
        survey->own_found = true;
        survey->own = candidate;
        survey->own.own = true;
    } else if (candidate.record.released) {
        shortlist_insert(&survey->released, &candidate);
    } else {
        survey->held++;
        shortlist_insert(&survey->unreleased, &candidate);
    }
}

static void note_held(struct fz_survey *survey, const struct fz_record *raw)
{
    const struct fz_grant *held = survey->grant;
    struct fz_worker_record found;

    survey->uncovered = fz_uncovered(held, raw);
    if (fz_worker_record_parse(raw->data, raw->len, &found, NULL) != FRAZIL_OK)
        return;
    /* A later owner whose ticks begin inside ours: by L2 that needs a namespace which has forgotten our grant. */
    survey->overtaken = raw->version > held->version && found.floor <= held->until;
}

static void survey_record(void *ctx, uint32_t number, const struct fz_record *raw)
{
    struct fz_survey *survey = ctx;

    if (number == FZ_NAMESPACE)
        survey->space = *raw;
    else
        note_worker(survey, number, raw);
    if (survey->grant != NULL && number == survey->grant->worker)
        note_held(survey, raw);
}

enum fz_register_result fz_survey_make(struct fz_survey *survey, struct fz_lease *lease, uint32_t first, uint64_t count,
                                       const struct fz_grant *held, frazil_error *reterr)
{
    assert(count >= 1);
    memset(survey, 0, sizeof *survey);
    survey->lease = lease;
    survey->grant = held;
    survey->uncovered = held != NULL; /* until its record comes by */
    survey->first = first;
    survey->count = count;
    /* Generators that start together look from different places, and so seldom swap for the same record. */
    survey->start = lease->random.next(lease->random.ctx) % count;
    lease->counters.round_trips++;
    return lease->reg.read_all(lease->reg.ctx, survey_record, survey, &survey->status, reterr);
}

/* ---- candidates worth trying ------------------------------------------------- */

/* Those whose ticks can be used at once come first: the own one, then the longest free. */
static bool comes_before(const struct fz_candidate *a, const struct fz_candidate *b, uint64_t now_tick)
{
    uint64_t a_wait = a->floor > now_tick ? a->floor : 0;
    uint64_t b_wait = b->floor > now_tick ? b->floor : 0;

    if (a_wait != b_wait)
        return a_wait < b_wait;
    if (a->own != b->own)
        return a->own;
    if (a->fresh != b->fresh)
        return a->fresh;
    return !a->fresh && a->record.until < b->record.until;
}

/* The candidates found up to now, and what decides about the next. */
struct worker_choice {
    uint64_t now_tick;
    uint64_t quarantine_until;
    struct fz_candidate *best;
    size_t n;
};

static void choice_add(struct worker_choice *choice, const struct fz_candidate *candidate)
{
    struct fz_candidate added = *candidate;
    uint64_t below =
        added.fresh || added.record.until < choice->quarantine_until ? choice->quarantine_until : added.record.until;
    size_t i = choice->n;

    /* Sorted by the floor that the quarantine leaves, as that decides which can be used first. */
    added.floor = below + 1;
    while (i > 0 && comes_before(&added, &choice->best[i - 1], choice->now_tick))
        i--;
    if (i == FZ_SHORTLIST)
        return;
    if (choice->n < FZ_SHORTLIST)
        choice->n++;
    memmove(&choice->best[i + 1], &choice->best[i], (choice->n - 1 - i) * sizeof choice->best[0]);
    choice->best[i] = added;
}

/* Worker ids that were never taken, from the random start on. */
static void add_fresh(struct worker_choice *choice, const struct fz_survey *survey)
{
    uint64_t window = survey->usable < FZ_WINDOW_BITS ? survey->usable : FZ_WINDOW_BITS;
    size_t found = 0;

    for (uint64_t i = 0; i < window && found < FZ_SHORTLIST; i++) {
        uint32_t worker = survey->first + (uint32_t)((survey->start + i) % survey->usable);
        uint64_t index = window_index(survey, worker);
        /* Outside the window a record may exist that the bits do not show. */
        if (index < FZ_WINDOW_BITS && (survey->seen[index / 8] >> index % 8 & 1) == 0) {
            struct fz_candidate candidate = {.worker = worker, .fresh = true};
            choice_add(choice, &candidate);
            found++;
        }
    }
}

size_t fz_survey_candidates(const struct fz_survey *survey, uint64_t now_tick, uint64_t coordinator_tick,
                            struct fz_candidate best[FZ_SHORTLIST])
{
    struct worker_choice choice = {
        .now_tick = now_tick, .quarantine_until = survey->lease->space.record.quarantine_until, .best = best};

    add_fresh(&choice, survey);
    for (size_t i = 0; i < survey->released.n; i++)
        choice_add(&choice, &survey->released.at[i]);
    for (size_t i = 0; i < survey->unreleased.n; i++) {
        /*
         * Abandoned, if its owner has not extended it up to now.  The owner may live and its clock be wrong:
         * it then loses the worker, and no id is issued twice (L2).
         */
        if (survey->unreleased.at[i].record.until < coordinator_tick)
            choice_add(&choice, &survey->unreleased.at[i]);
    }
    if (survey->own_found)
        choice_add(&choice, &survey->own);
    return choice.n;
}
