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

#include "frazil/admin.h"

/* STATUS_OK, or a status after a complaint. */
static int look(const char *spec, frazil_admin_leases **ret)
{
    frazil_error err;

    return frazil_admin_leases_open(ret, spec, NULL, &err) == FRAZIL_OK ? STATUS_OK : complain_error(&err);
}

static bool read_row(const frazil_admin_leases *leases, size_t i, frazil_admin_lease *ret)
{
    return frazil_admin_leases_row(leases, i, ret, sizeof *ret) == FRAZIL_OK;
}

/* ---- one list ------------------------------------------------------------------ */

/* The members of a row, after the brace. */
static void print_members(const frazil_admin_lease *row)
{
    char until[FIELDS_TEXT_SIZE];
    char since[FIELDS_TEXT_SIZE];
    bool readable = row->holding != FRAZIL_ADMIN_UNREADABLE;

    output_format("\"worker\":%" PRIu32 ",\"state\":\"%s\",\"%s\":", row->worker,
                  frazil_admin_holding_name(row->holding), readable ? "owner" : "trouble");
    output_json_string(row->text);
    if (readable)
        output_format(",\"until\":\"%s\",\"since\":\"%s\",\"owners\":%" PRIu64 ",\"extensions\":%" PRIu64,
                      fields_time(row->until_unix_ms, until), fields_time(row->since_unix_ms, since), row->owners,
                      row->extensions);
    output_string("}\n");
}

static void print_row(const frazil_admin_lease *row)
{
    char until[FIELDS_TEXT_SIZE] = "";
    char since[FIELDS_TEXT_SIZE] = "";

    if (row->holding != FRAZIL_ADMIN_UNREADABLE) {
        fields_time(row->until_unix_ms, until);
        fields_time(row->since_unix_ms, since);
    }
    output_format("%6" PRIu32 "  %-10s  %-24s  %-24s  ", row->worker, frazil_admin_holding_name(row->holding), until,
                  since);
    output_foreign(row->text);
    output_string("\n");
}

static void print_table(const frazil_admin_leases *leases, const frazil_admin_leases_info *info)
{
    char text[FIELDS_TEXT_SIZE];
    frazil_admin_lease row;

    output_string("layout      ");
    output_foreign(info->layout);
    output_string("\n");
    output_format("horizon     %" PRIu64 " ms\n", info->horizon_ms);
    output_format("max_skew    %" PRId64 " ms\n", info->max_skew_ms);
    if (info->created_unix_ms != 0)
        output_format("created     %s\n", fields_time(info->created_unix_ms, text));
    if (info->quarantine_unix_ms != 0)
        output_format("quarantine  until %s\n", fields_time(info->quarantine_unix_ms, text));
    output_format("worker ids  %" PRIu64 ", held now: %" PRIu64 "\n", info->workers, info->held);
    if (info->rows > 0)
        output_format("\n%6s  %-10s  %-24s  %-24s  %s\n", "worker", "state", "until", "since", "owner");
    for (size_t i = 0; read_row(leases, i, &row); i++)
        print_row(&row);
}

static void print_json(const frazil_admin_leases *leases, const frazil_admin_leases_info *info)
{
    char text[FIELDS_TEXT_SIZE];
    frazil_admin_lease row;

    output_string("{\"layout\":");
    output_json_string(info->layout);
    output_format(",\"horizon_ms\":%" PRIu64, info->horizon_ms);
    output_format(",\"max_skew_ms\":%" PRId64, info->max_skew_ms);
    if (info->created_unix_ms != 0)
        output_format(",\"created\":\"%s\"", fields_time(info->created_unix_ms, text));
    output_format(",\"workers\":%" PRIu64 ",\"held\":%" PRIu64, info->workers, info->held);
    if (info->quarantine_unix_ms != 0)
        output_format(",\"quarantine\":\"%s\"", fields_time(info->quarantine_unix_ms, text));
    output_string("}\n");
    for (size_t i = 0; read_row(leases, i, &row); i++) {
        output_string("{");
        print_members(&row);
    }
}

int lease_show_list(const char *spec, bool json)
{
    frazil_admin_leases *leases;
    frazil_admin_leases_info info;
    int status = look(spec, &leases);

    if (status != STATUS_OK)
        return status;
    frazil_admin_leases_get_info(leases, &info, sizeof info);
    (json ? print_json : print_table)(leases, &info);
    frazil_admin_leases_close(leases);
    return STATUS_OK;
}

/* ---- changes ------------------------------------------------------------------- */

/* The row of a worker id, if there is one: rows stand in the order of their numbers, and *at only moves on. */
static bool find_row(const frazil_admin_leases *leases, uint32_t worker, size_t *at, frazil_admin_lease *ret)
{
    if (leases == NULL)
        return false;
    while (read_row(leases, *at, ret) && ret->worker < worker)
        (*at)++;
    return read_row(leases, *at, ret) && ret->worker == worker;
}

/* The event between two looks; NULL: nothing but an extension. */
static const char *event_of(const frazil_admin_lease *before, const frazil_admin_lease *now)
{
    bool same_owner = before != NULL && before->owners == now->owners;

    if (same_owner && before->holding == now->holding)
        return NULL;
    if (now->holding != FRAZIL_ADMIN_HELD)
        return frazil_admin_holding_name(now->holding);
    return same_owner ? "resumed" : "taken";
}

static void print_event(const frazil_admin_lease *row, const char *event, bool json)
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

/* before is NULL at first. */
static void print_changes(const frazil_admin_leases *before, const frazil_admin_leases *now, bool json)
{
    frazil_admin_lease row;
    frazil_admin_lease other;
    size_t at = 0;

    for (size_t i = 0; read_row(now, i, &row); i++) {
        bool was_there = find_row(before, row.worker, &at, &other);
        const char *event = event_of(was_there ? &other : NULL, &row);
        if (event != NULL)
            print_event(&row, event, json);
    }
    at = 0;
    for (size_t i = 0; before != NULL && read_row(before, i, &row); i++) {
        if (!find_row(now, row.worker, &at, &other))
            print_event(&row, "vanished", json);
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
    frazil_admin_leases *before = NULL;
    int status = STATUS_OK;

    for (uint64_t i = 0; (looks == 0 || i < looks) && !output_broken(); i++) {
        frazil_admin_leases *now;
        if (i > 0)
            pause_ms(interval_ms);
        status = look(spec, &now);
        /* A coordinator that is away for a while comes back; one that was never there, or is another one, does not. */
        if (status != STATUS_OK && (i == 0 || status != STATUS_TEMPORARY))
            break;
        if (status != STATUS_OK)
            continue;
        print_changes(before, now, json);
        frazil_admin_leases_close(before);
        before = now;
    }
    frazil_admin_leases_close(before);
    return status;
}
