/* SPDX-License-Identifier: MIT */
#include "lease_show.h"

#include "command.h"
#include "complain.h"
#include "fields.h"
#include "output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "operations/leases.h"

static const char *const holdings[] = {"held", "abandoned", "released", "unreadable"};

/* STATUS_OK, or a status after a complaint. */
static int look(const char *spec, struct fz_leases *ret)
{
    frazil_error err;

    return fz_leases_list(spec, ret, &err) == FRAZIL_OK ? STATUS_OK : complain_error(&err);
}

/* ---- one list ------------------------------------------------------------------ */

/* The members of a row, after the brace. */
static void print_members(const struct fz_lease_row *row)
{
    char until[FIELDS_TEXT_SIZE];
    char since[FIELDS_TEXT_SIZE];
    bool readable = row->holding != FZ_HOLDING_UNREADABLE;

    output_format("\"worker\":%" PRIu32 ",\"state\":\"%s\",\"%s\":", row->worker, holdings[row->holding],
                  readable ? "owner" : "trouble");
    output_json_string(row->text);
    if (readable)
        output_format(",\"until\":\"%s\",\"since\":\"%s\",\"owners\":%" PRIu64 ",\"extensions\":%" PRIu64,
                      fields_time(row->until_unix_ms, until), fields_time(row->since_unix_ms, since), row->owners,
                      row->extensions);
    output_string("}\n");
}

static void print_row(const struct fz_lease_row *row)
{
    char until[FIELDS_TEXT_SIZE] = "";
    char since[FIELDS_TEXT_SIZE] = "";

    if (row->holding != FZ_HOLDING_UNREADABLE) {
        fields_time(row->until_unix_ms, until);
        fields_time(row->since_unix_ms, since);
    }
    output_format("%6" PRIu32 "  %-10s  %-24s  %-24s  ", row->worker, holdings[row->holding], until, since);
    output_foreign(row->text);
    output_string("\n");
}

static void print_table(const struct fz_leases *leases)
{
    char text[FIELDS_TEXT_SIZE];

    output_string("layout      ");
    output_foreign(leases->layout);
    output_string("\n");
    output_format("horizon     %" PRIu64 " ms\n", leases->horizon_ms);
    if (leases->max_skew_ms >= 0)
        output_format("max_skew    %" PRId64 " ms\n", leases->max_skew_ms);
    if (leases->created_unix_ms != 0)
        output_format("created     %s\n", fields_time(leases->created_unix_ms, text));
    if (leases->quarantine_unix_ms != 0)
        output_format("quarantine  until %s\n", fields_time(leases->quarantine_unix_ms, text));
    output_format("worker ids  %" PRIu64 ", held now: %zu\n", leases->workers, leases->held);
    if (leases->count > 0)
        output_format("\n%6s  %-10s  %-24s  %-24s  %s\n", "worker", "state", "until", "since", "owner");
    for (size_t i = 0; i < leases->count; i++)
        print_row(&leases->rows[i]);
}

static void print_json(const struct fz_leases *leases)
{
    char text[FIELDS_TEXT_SIZE];

    output_string("{\"layout\":");
    output_json_string(leases->layout);
    output_format(",\"horizon_ms\":%" PRIu64, leases->horizon_ms);
    if (leases->max_skew_ms >= 0)
        output_format(",\"max_skew_ms\":%" PRId64, leases->max_skew_ms);
    if (leases->created_unix_ms != 0)
        output_format(",\"created\":\"%s\"", fields_time(leases->created_unix_ms, text));
    output_format(",\"workers\":%" PRIu64 ",\"held\":%zu", leases->workers, leases->held);
    if (leases->quarantine_unix_ms != 0)
        output_format(",\"quarantine\":\"%s\"", fields_time(leases->quarantine_unix_ms, text));
    output_string("}\n");
    for (size_t i = 0; i < leases->count; i++) {
        output_string("{");
        print_members(&leases->rows[i]);
    }
}

int lease_show_list(const char *spec, bool json)
{
    struct fz_leases leases;
    int status = look(spec, &leases);

    if (status != STATUS_OK)
        return status;
    if (json)
        print_json(&leases);
    else
        print_table(&leases);
    fz_leases_free(&leases);
    return STATUS_OK;
}

/* ---- changes ------------------------------------------------------------------- */

/* The row of a worker id, if there is one: rows stand in the order of their numbers, and *at only moves on. */
static const struct fz_lease_row *find_row(const struct fz_leases *leases, uint32_t worker, size_t *at)
{
    while (*at < leases->count && leases->rows[*at].worker < worker)
        (*at)++;
    return *at < leases->count && leases->rows[*at].worker == worker ? &leases->rows[*at] : NULL;
}

/* What has happened between two looks; NULL: nothing but an extension. */
static const char *event_of(const struct fz_lease_row *before, const struct fz_lease_row *now)
{
    bool same_owner = before != NULL && before->owners == now->owners;

    if (same_owner && before->holding == now->holding)
        return NULL;
    if (now->holding != FZ_HOLDING_HELD)
        return holdings[now->holding];
    return same_owner ? "resumed" : "taken";
}

static void print_event(const struct fz_lease_row *row, const char *event, bool json)
{
    char text[FIELDS_TEXT_SIZE];

    fields_time(fields_now(), text);
    if (json) {
        output_format("{\"time\":\"%s\",\"event\":\"%s\",", text, event);
        print_members(row);
    } else {
        output_format("%s  %6" PRIu32 "  %-10s  ", text, row->worker, event);
        output_foreign(row->text);
        output_string("\n");
    }
}

static void print_changes(const struct fz_leases *before, const struct fz_leases *now, bool json)
{
    size_t at = 0;

    for (size_t i = 0; i < now->count; i++) {
        const char *event = event_of(find_row(before, now->rows[i].worker, &at), &now->rows[i]);
        if (event != NULL)
            print_event(&now->rows[i], event, json);
    }
    at = 0;
    for (size_t i = 0; i < before->count; i++) {
        if (find_row(now, before->rows[i].worker, &at) == NULL)
            print_event(&before->rows[i], "vanished", json);
    }
    output_flush();
}

static void pause_ms(uint64_t ms)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    uint64_t ns = (uint64_t)at.tv_nsec + ms % 1000 * 1000000;
    at.tv_sec += (time_t)(ms / 1000 + ns / 1000000000);
    at.tv_nsec = (long)(ns % 1000000000);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        continue;
}

int lease_show_changes(const char *spec, uint64_t interval_ms, uint64_t looks, bool json)
{
    struct fz_leases before = {.count = 0};
    int status = STATUS_OK;

    for (uint64_t i = 0; (looks == 0 || i < looks) && !output_broken(); i++) {
        struct fz_leases now;
        if (i > 0)
            pause_ms(interval_ms);
        status = look(spec, &now);
        /* A coordinator that is away for a while comes back; one that was never there, or is another one, does not. */
        if (status != STATUS_OK && (i == 0 || status != STATUS_TEMPORARY))
            break;
        if (status != STATUS_OK)
            continue;
        print_changes(&before, &now, json);
        fz_leases_free(&before);
        before = now;
    }
    fz_leases_free(&before);
    return status;
}
