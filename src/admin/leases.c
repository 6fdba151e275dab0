/* SPDX-License-Identifier: MIT */
#include "leases.h"

#include <stdlib.h>
#include <string.h>

#include "config/decide.h"
#include "core/decimal.h"
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "frazil/admin.h"
#include "os/clock.h"
#include "os/fail_errno.h"
#include "os/host.h"
#include "target.h"

/* How far a grant reaches, unless the operator says so. */
enum { DEFAULT_HORIZON_MS = 60000 };

static uint64_t tick_now(void *ctx)
{
    const frazil_layout *layout = ctx;
    uint64_t tick = 0;
    frazil_err err = fz_layout_tick_of(layout, fz_real_now().unix_ms, &tick, NULL);

    return err == FRAZIL_OK ? tick : 0;
}

/* ---- creating ---------------------------------------------------------------- */

static frazil_err draw_token(struct fz_token *ret, frazil_error *reterr)
{
    int sys = fz_host_entropy(&ret->high);

    if (sys == 0)
        sys = fz_host_entropy(&ret->low);
    return sys == 0 ? FRAZIL_OK : fz_fail_errno(reterr, sys, "the system's random numbers cannot be read", NULL, "");
}

static void ignore_entry(void *ctx, const struct fz_lease_entry *entry)
{
    (void)ctx;
    (void)entry;
}

/* Only the operator knows what a lost namespace had granted: a guess would repeat ids. */
static frazil_err check_set(const struct fz_lease_terms *terms, bool never_used, frazil_error *reterr)
{
    if (never_used || (terms->horizon_ms != 0 && terms->max_skew_is_set))
        return FRAZIL_OK;
    return fz_fail(
        reterr, FRAZIL_ESPEC,
        "without --never-used, ids wait until all grants of a lost namespace of this name have ended: give its "
        "horizon= and max_skew= (60s and 250ms unless you chose others); if there never was one, use --never-used");
}

static frazil_err init_target(const struct fz_target *target, bool never_used, int64_t *ret_opens_unix_ms,
                              frazil_error *reterr)
{
    const frazil_coordinator *coordinator = target->coordinator;
    const struct fz_lease_terms *terms = &target->decision->lease;
    const char *url = target->decision->worker.url;
    frazil_layout layout = target->decision->layout;
    struct fz_namespace_options options = {.layout = &layout,
                                           .horizon_ms =
                                               terms->horizon_ms == 0 ? DEFAULT_HORIZON_MS : terms->horizon_ms,
                                           .lost_horizon_ms = FZ_LOST_HORIZON_MS_MIN,
                                           .workers = terms->workers,
                                           .max_skew_ms = terms->max_skew_ms,
                                           .never_used = never_used,
                                           .now_tick = tick_now,
                                           .now_ctx = &layout};
    struct fz_namespace_record record = {.quarantine_until = 0};

    frazil_err err = check_set(terms, never_used, reterr);
    if (err == FRAZIL_OK)
        err = draw_token(&options.token, reterr);
    if (err == FRAZIL_OK)
        err = coordinator->init(coordinator, url, &options, reterr);
    if (err == FRAZIL_OK)
        err = coordinator->list(coordinator, url, ignore_entry, NULL, &record, reterr);
    if (err == FRAZIL_OK)
        *ret_opens_unix_ms = record.quarantine_until == 0
                                 ? fz_real_now().unix_ms
                                 : fz_layout_tick_unix_ms(options.layout, record.quarantine_until + 1);
    return err;
}

frazil_err fz_leases_init(const char *spec_or_url, const frazil_coordinator *const *given, bool never_used,
                          int64_t *ret_opens_unix_ms, frazil_error *reterr)
{
    struct fz_decision decision;
    struct fz_target target;

    frazil_err err = fz_target_open(&target, &decision, spec_or_url, given, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = init_target(&target, never_used, ret_opens_unix_ms, reterr);
    fz_decision_free(&decision);
    return err;
}

/* ---- how far away it is --------------------------------------------------------- */

struct round_trip {
    bool heard;
    uint64_t us; /* 0: less than one */
};

static void hear_round_trip(void *ctx, enum fz_finding_level level, const char *sentence)
{
    static const char begin[] = FZ_FINDING_ROUND_TRIP, end[] = " us";
    struct round_trip *round_trip = ctx;
    size_t len = strlen(sentence);

    (void)level;
    if (len > sizeof begin - 1 + sizeof end - 1 && strncmp(sentence, begin, sizeof begin - 1) == 0 &&
        fz_decimal_parse(sentence + sizeof begin - 1, len - (sizeof begin - 1) - (sizeof end - 1), &round_trip->us))
        round_trip->heard = true;
}

frazil_err frazil_admin_leases_round_trip(const char *spec_or_url, const frazil_coordinator *const *given,
                                          uint64_t *ret_us, frazil_error *reterr)
{
    const frazil_clock clock = fz_real_clock();
    struct round_trip round_trip = {0};
    struct fz_decision decision;
    struct fz_target target;

    frazil_err err = fz_target_open(&target, &decision, spec_or_url, given, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (fz_target_is_folder(&target))
        err = fz_fail(reterr, FRAZIL_ESPEC, "a folder of this host answers at once: name a coordinator");
    else
        err = target.coordinator->diagnose(target.coordinator, decision.worker.url, &clock, hear_round_trip,
                                           &round_trip, reterr);
    fz_decision_free(&decision);
    if (err == FRAZIL_OK && !round_trip.heard)
        err = fz_fail(reterr, FRAZIL_EUNREACHABLE, "the coordinator did not answer a read");
    if (err == FRAZIL_OK)
        *ret_us = round_trip.us;
    return err;
}

/* ---- listing ------------------------------------------------------------------- */

/* Entries as they come, in any order; their times are still in ticks. */
struct listing {
    struct fz_leases leases;
    size_t room;
    bool out_of_memory;
};

static struct fz_lease_row row_of(const struct fz_lease_entry *entry)
{
    const struct fz_worker_record *record = &entry->record;
    struct fz_lease_row row = {.worker = entry->worker, .holding = FZ_HOLDING_UNREADABLE};
    struct fz_sentence text = fz_sentence_in(row.text, sizeof row.text);

    fz_sentence_str(&text, entry->readable ? record->owner : entry->parse_error.message);
    if (!entry->readable)
        return row;
    row.holding = record->released ? FZ_HOLDING_RELEASED : FZ_HOLDING_HELD;
    row.until_unix_ms = (int64_t)record->until;
    row.since_unix_ms = record->since_unix_ms;
    row.owners = record->owners;
    row.extensions = record->extensions;
    return row;
}

static void keep_entry(void *ctx, const struct fz_lease_entry *entry)
{
    struct listing *listing = ctx;
    struct fz_leases *leases = &listing->leases;

    if (leases->count == listing->room) {
        size_t room = listing->room == 0 ? 64 : 2 * listing->room;
        struct fz_lease_row *larger = realloc(leases->rows, room * sizeof *larger);
        listing->out_of_memory = listing->out_of_memory || larger == NULL;
        if (larger == NULL)
            return;
        leases->rows = larger;
        listing->room = room;
    }
    leases->rows[leases->count++] = row_of(entry);
}

static int by_worker(const void *a, const void *b)
{
    const struct fz_lease_row *left = a;
    const struct fz_lease_row *right = b;

    return (left->worker > right->worker) - (left->worker < right->worker);
}

/* Turns ticks into times, and sees which grants have ended. */
static void finish_rows(struct fz_leases *leases, const frazil_layout *layout, int64_t now_ms)
{
    for (size_t i = 0; i < leases->count; i++) {
        struct fz_lease_row *row = &leases->rows[i];
        if (row->holding == FZ_HOLDING_UNREADABLE)
            continue;
        row->until_unix_ms = fz_layout_tick_unix_ms(layout, (uint64_t)row->until_unix_ms);
        if (row->holding == FZ_HOLDING_HELD && row->until_unix_ms < now_ms)
            row->holding = FZ_HOLDING_ABANDONED;
        leases->held += row->holding == FZ_HOLDING_HELD;
    }
    if (leases->count > 0)
        qsort(leases->rows, leases->count, sizeof leases->rows[0], by_worker);
}

static frazil_err finish(struct fz_leases *leases, const struct fz_namespace_record *record, frazil_error *reterr)
{
    frazil_layout layout;
    int64_t now_ms = fz_real_now().unix_ms;

    frazil_err err =
        fz_without_position(frazil_layout_parse(record->layout, strlen(record->layout), &layout, reterr), reterr);
    if (err != FRAZIL_OK)
        return err;
    memcpy(leases->layout, record->layout, sizeof leases->layout);
    leases->horizon_ms = record->horizon_ms;
    leases->max_skew_ms = record->max_skew_ms;
    leases->workers = record->workers;
    leases->created_unix_ms = record->created_unix_ms;
    if (record->quarantine_until > tick_now(&layout))
        leases->quarantine_unix_ms = fz_layout_tick_unix_ms(&layout, record->quarantine_until);
    finish_rows(leases, &layout, now_ms);
    return FRAZIL_OK;
}

static frazil_err list_target(const struct fz_target *target, struct listing *listing, frazil_error *reterr)
{
    const char *url = target->decision->worker.url;
    struct fz_namespace_record record;

    frazil_err err = target->coordinator->list(target->coordinator, url, keep_entry, listing, &record, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (listing->out_of_memory)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    return finish(&listing->leases, &record, reterr);
}

frazil_err fz_target_leases(const struct fz_target *target, struct fz_leases *ret, frazil_error *reterr)
{
    struct listing listing = {.room = 0};

    frazil_err err = list_target(target, &listing, reterr);
    if (err == FRAZIL_OK)
        *ret = listing.leases;
    else
        fz_leases_free(&listing.leases);
    return err;
}

frazil_err fz_leases_list(const char *spec_or_url, const frazil_coordinator *const *given, struct fz_leases *ret,
                          frazil_error *reterr)
{
    struct fz_decision decision;
    struct fz_target target;

    frazil_err err = fz_target_open(&target, &decision, spec_or_url, given, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = fz_target_leases(&target, ret, reterr);
    fz_decision_free(&decision);
    return err;
}

void fz_leases_free(struct fz_leases *leases)
{
    free(leases->rows);
    *leases = (struct fz_leases){.count = 0};
}

/* ---- freeing ------------------------------------------------------------------- */

frazil_err frazil_admin_leases_release(const char *spec_or_url, const frazil_coordinator *const *given, uint32_t worker,
                                       frazil_error *reterr)
{
    struct fz_decision decision;
    struct fz_target target;

    frazil_err err = fz_target_open(&target, &decision, spec_or_url, given, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = target.coordinator->release(target.coordinator, decision.worker.url, worker, reterr);
    fz_decision_free(&decision);
    return err;
}
