/* SPDX-License-Identifier: MIT */
/*
 * One look at a namespace or a sample of it, in as few round trips as the register
 * has for it, and what is worth trying after it.  Of many records only the few that come
 * first in the order of trying are remembered.
 */
#include <assert.h>
#include <string.h>

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

/* Whether the numbers have this one, and where: without it, *ret_index is their count. */
static bool is_among(const uint32_t *numbers, size_t n, uint32_t worker, uint64_t *ret_index)
{
    uint64_t i = 0;

    while (i < n && numbers[i] != worker)
        i++;
    *ret_index = i;
    return i < n;
}

static void note_seen(struct fz_survey *survey, uint32_t worker)
{
    uint64_t index;

    if (survey->sample.n == 0)
        index = window_index(survey, worker);
    else if (!is_among(survey->sample.at, survey->sample.n, worker, &index))
        return; /* that of the grant, or of the worker in trouble */

    if (index < FZ_WINDOW_BITS)
        survey->seen[index / 8] |= (unsigned char)(1U << index % 8);
}

/*
 * Whether it is the record of the worker in trouble, or of one of the group's, as far as a token can say: nothing safe
 * depends on it.
 */
static bool bears_own_token(const struct fz_survey *survey, uint32_t worker, const struct fz_worker_record *record)
{
    const struct fz_lease *lease = survey->lease;
    bool in_trouble = lease->trouble.kind != FZ_TROUBLE_NONE && worker == lease->trouble.worker;

    return (in_trouble || fz_pair_has(&survey->pair, worker)) && !record->released &&
           fz_token_equal(record->token, lease->self.token);
}

static void note_worker(struct fz_survey *survey, uint32_t worker, const struct fz_record *raw)
{
    struct fz_candidate candidate = {.worker = worker, .version = raw->version};
    uint64_t index;

    /* Several services may share a namespace, each with its own range. */
    if (worker < survey->first || worker - survey->first >= survey->count)
        return;
    if (survey->sample.is_pair && !is_among(survey->sample.at, survey->sample.n, worker, &index))
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
    bool lost = survey->lease->trouble.kind == FZ_TROUBLE_LOST && !fz_lease_has_group(survey->lease);
    survey->clone = survey->clone || (own && lost);
    if (own && !lost) {
        candidate.own = true;
        shortlist_insert(&survey->own, &candidate);
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

static enum fz_register_result read_sample(struct fz_survey *survey, struct fz_lease *lease, frazil_error *reterr)
{
    const struct fz_sample *sample = &survey->sample;
    uint32_t numbers[FZ_SAMPLE_MAX + 3];
    size_t n = sample->whole;
    uint64_t index;

    memcpy(numbers, sample->at, n * sizeof numbers[0]);
    numbers[n++] = FZ_NAMESPACE;
    /* The witness of L10, and the own record, count wherever they lie. */
    if (survey->grant != NULL && !is_among(numbers, n, survey->grant->worker, &index))
        numbers[n++] = survey->grant->worker;
    if (lease->trouble.kind != FZ_TROUBLE_NONE && !is_among(numbers, n, lease->trouble.worker, &index))
        numbers[n++] = lease->trouble.worker;
    const size_t whole = n;
    for (size_t i = sample->whole; i < sample->n; i++) {
        if (!is_among(numbers, whole, sample->at[i], &index))
            numbers[n++] = sample->at[i];
    }
    return lease->reg.read_many(lease->reg.ctx, lease->call.deadline, numbers, n, whole, survey_record, survey,
                                &survey->status, reterr);
}

/* A record with the group's token that reaches beyond what its processes have asked for is a copy's of their host. */
static void leave_to_copies(struct fz_survey *survey)
{
    struct fz_shortlist found = survey->own;

    survey->own.n = 0;
    for (size_t i = 0; i < found.n; i++) {
        struct fz_candidate *candidate = &found.at[i];
        candidate->own = fz_group_can_have_asked(survey->lease, candidate->record.until);
        shortlist_insert(candidate->own ? &survey->own : &survey->unreleased, candidate);
        survey->held += !candidate->own;
        survey->clone = survey->clone || !candidate->own;
    }
}

enum fz_register_result fz_survey_make(struct fz_survey *survey, struct fz_lease *lease, uint32_t first, uint64_t count,
                                       const struct fz_sample *sample, const struct fz_grant *held,
                                       frazil_error *reterr)
{
    assert(count >= 1);
    memset(survey, 0, sizeof *survey);
    survey->lease = lease;
    survey->grant = held;
    survey->uncovered = held != NULL; /* until its record comes by */
    survey->first = first;
    survey->count = count;
    survey->sample = *sample;
    if (fz_lease_has_group(lease))
        survey->pair = fz_pair_look(lease->group.pair);
    lease->counters.round_trips++;
    /* Generators that start together look from different places, and so seldom swap for the same record. */
    if (sample->n == 0)
        survey->start = lease->random.next(lease->random.ctx) % count;
    enum fz_register_result result =
        sample->n > 0
            ? read_sample(survey, lease, reterr)
            : lease->reg.read_all(lease->reg.ctx, lease->call.deadline, survey_record, survey, &survey->status, reterr);
    leave_to_copies(survey); /* only now: what was asked for until the records were read counts */
    return result;
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

/* The worker id at this place of the sample, or of the window.  *ret_index: of its bit. */
static uint32_t worker_at(const struct fz_survey *survey, uint64_t i, uint64_t *ret_index)
{
    if (survey->sample.n > 0) {
        *ret_index = i;
        return survey->sample.at[i];
    }
    uint32_t worker = survey->first + (uint32_t)((survey->start + i) % survey->usable);
    *ret_index = window_index(survey, worker);
    return worker;
}

/* Worker ids that were never taken, from the random start on. */
static void add_fresh(struct worker_choice *choice, const struct fz_survey *survey)
{
    uint64_t window = survey->usable < FZ_WINDOW_BITS ? survey->usable : FZ_WINDOW_BITS;
    size_t found = 0;

    if (survey->sample.n > 0)
        window = survey->sample.n;
    for (uint64_t i = 0; i < window && found < FZ_SHORTLIST; i++) {
        uint64_t index;
        uint32_t worker = worker_at(survey, i, &index);
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
    for (size_t i = 0; i < survey->own.n; i++)
        choice_add(&choice, &survey->own.at[i]);
    return choice.n;
}
