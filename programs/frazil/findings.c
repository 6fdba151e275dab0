/* SPDX-License-Identifier: MIT */
#include "findings.h"

#include "fields.h"
#include "output.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct {
    const char *key;
    const char *title;
} kinds[FINDING_KINDS] = {{"duplicates", "duplicates"},
                          {"order_breaks", "order breaks"},
                          {"future", "in the future"},
                          {"foreign", "other layout"}};

void findings_add(struct findings *findings, enum finding_kind kind, const struct finding *finding)
{
    findings->kinds[kind].count += kind == FINDING_DUPLICATE ? finding->times - 1 : 1;
    if (findings->kinds[kind].list == NULL)
        findings->kinds[kind].list = calloc(findings->list_max + 1, sizeof *finding);
    if (findings->kinds[kind].list != NULL && findings->kinds[kind].kept < findings->list_max)
        findings->kinds[kind].list[findings->kinds[kind].kept++] = *finding;
}

void findings_free(struct findings *findings)
{
    for (int kind = 0; kind < FINDING_KINDS; kind++)
        free(findings->kinds[kind].list);
    periods_free(&findings->periods);
}

bool findings_any(const struct findings *findings)
{
    bool any = findings->unreadable > 0 || findings->periods.count > 1;

    for (int kind = 0; kind < FINDING_KINDS; kind++)
        any = any || findings->kinds[kind].count > 0;
    return any;
}

static const char *id_text(const struct id *id, char buf[IDS_TEXT_SIZE])
{
    frazil_error err;

    if (ids_format(id, IDS_FORM_ANY, buf, &err) != FRAZIL_OK)
        buf[0] = '\0';
    return buf;
}

/* Ids a second over the worker's life in the input, the last tick included. */
static double mean_rate(const struct worker_row *row, uint32_t tick_ms)
{
    return (double)row->ids * 1000.0 / ((double)row->last_ms - (double)row->first_ms + tick_ms);
}

static size_t rows_shown(const struct findings *findings, const struct worker_stats *stats)
{
    size_t rows = worker_stats_size(stats);

    return rows < findings->list_max ? rows : findings->list_max;
}

/* ---- for people --------------------------------------------------------------- */

/* Where it stood; the file's name is a stranger's. */
static void place_text(const struct finding *finding)
{
    output_string("  ");
    output_foreign(finding->file);
    output_format(":%" PRIu64, finding->line);
}

static void example_text(const struct ids_layout *layout, enum finding_kind kind, const struct finding *finding)
{
    char id[IDS_TEXT_SIZE], time[FIELDS_TEXT_SIZE], age[FIELDS_TEXT_SIZE];
    frazil_sno_fields sno;
    frazil_fields parts;

    output_format("  %s", id_text(&finding->id, id));
    if (kind == FINDING_DUPLICATE)
        output_format("  %" PRIu64 " times", finding->times);
    else
        place_text(finding);
    if (finding->id.kind == FRAZIL_LAYOUT_SNO) {
        frazil_sno_decompose(&finding->id.sno, &sno);
        parts.unix_ms = sno.unix_ms;
    } else if (frazil_id_decompose(&layout->layout, finding->id.number, &parts, NULL) != FRAZIL_OK) {
        output_string("\n");
        return;
    }
    output_format("  %s", fields_time(parts.unix_ms, time));
    if (kind == FINDING_FUTURE)
        output_format(", %s", fields_age(parts.unix_ms, fields_now(), age));
    output_string("\n");
}

/* An id or two may be of a clock that was ahead.  All of them are not: they are read by the wrong layout. */
static void all_future_text(const struct findings *findings)
{
    char id[IDS_TEXT_SIZE];

    if (findings->kinds[FINDING_FUTURE].count < findings->ids || findings->kinds[FINDING_FUTURE].kept == 0)
        return;
    output_format("  all of them, so they are probably of another layout; try: frazil inspect --guess %s\n",
                  id_text(&findings->kinds[FINDING_FUTURE].list[0].id, id));
}

/* Ids that lie years from most of the others: which, when, and how to find out what they are. */
static void apart_text(const struct findings *findings)
{
    const struct periods *periods = &findings->periods;
    const struct period *main_period = periods_main(periods);
    char first[FIELDS_TEXT_SIZE], last[FIELDS_TEXT_SIZE], id[IDS_TEXT_SIZE];
    size_t shown = 0;

    output_format("%-14s %" PRIu64 "\n", "apart", periods_ids_apart(periods));
    for (size_t i = 0; i < periods->count; i++) {
        const struct period *period = &periods->list[i];
        if (period == main_period || shown++ >= findings->list_max)
            continue;
        uint64_t days = periods_distance_ms(periods, period) / 86400000;
        output_format("  %" PRIu64 " of ", period->ids);
        if (period->is_of_many)
            output_string("several workers");
        else
            output_format("worker %" PRIu32, period->worker);
        output_format(", %s to %s, %" PRIu64 " day%s from any other; try: frazil inspect --guess %s\n",
                      fields_time(period->first_ms, first), fields_time(period->last_ms, last), days,
                      days == 1 ? "" : "s", id_text(&period->first, id));
    }
    if (shown > findings->list_max)
        output_string("  ... these are the first; --list N shows more\n");
}

static void workers_text(const struct findings *findings, const struct ids_layout *layout, struct worker_stats *stats)
{
    size_t rows = rows_shown(findings, stats);
    const struct worker_row *row = worker_stats_sorted(stats);
    char first[FIELDS_TEXT_SIZE], last[FIELDS_TEXT_SIZE];

    output_format("\n%10s %11s  %-24s  %-24s %8s %9s %11s\n",
                  layout->layout.kind == FRAZIL_LAYOUT_SNO ? "partition" : "worker", "ids", "first", "last", "max/tick",
                  "max/s", "ids/s");
    for (size_t i = 0; i < rows; i++, row++)
        output_format("%10" PRIu32 " %11" PRIu64 "  %-24s  %-24s %8" PRIu64 " %9" PRIu64 " %11.1f\n", row->worker,
                      row->ids, fields_time(row->first_ms, first), fields_time(row->last_ms, last), row->tick_peak,
                      row->second_peak, mean_rate(row, layout->layout.tick_ms));
    if (rows < worker_stats_size(stats))
        output_format("  and %zu more; --list %zu shows them\n", worker_stats_size(stats) - rows,
                      worker_stats_size(stats));
    if (findings->untallied > 0)
        output_format("  and %" PRIu64 " id%s of further workers, whose order and rate were not looked at\n",
                      findings->untallied, findings->untallied == 1 ? "" : "s");
}

void findings_text(const struct findings *findings, const struct ids_layout *layout, struct worker_stats *stats)
{
    output_format("%-14s %s\n%-14s %" PRIu64 "\n%-14s %" PRIu64 "\n", "layout", layout->label, "ids", findings->ids,
                  "unreadable", findings->unreadable);
    for (int kind = 0; kind < FINDING_KINDS; kind++) {
        output_format("%-14s %" PRIu64 "\n", kinds[kind].title, findings->kinds[kind].count);
        for (size_t i = 0; i < findings->kinds[kind].kept; i++)
            example_text(layout, (enum finding_kind)kind, &findings->kinds[kind].list[i]);
        if (findings->kinds[kind].kept == findings->list_max && findings->kinds[kind].count > findings->list_max)
            output_string("  ... these are the first; --list N shows more\n");
        if (kind == FINDING_FUTURE)
            all_future_text(findings);
    }
    apart_text(findings);
    if (worker_stats_size(stats) > 0)
        workers_text(findings, layout, stats);
}

/* ---- as JSON --------------------------------------------------------------------- */

static void example_json(enum finding_kind kind, const struct finding *finding)
{
    char id[IDS_TEXT_SIZE];

    output_format("{\"id\":\"%s\"", id_text(&finding->id, id));
    if (kind == FINDING_DUPLICATE) {
        output_format(",\"times\":%" PRIu64 "}", finding->times);
        return;
    }
    output_string(",\"file\":");
    output_json_string(finding->file);
    output_format(",\"line\":%" PRIu64 "}", finding->line);
}

static void apart_json(const struct findings *findings)
{
    const struct periods *periods = &findings->periods;
    const struct period *main_period = periods_main(periods);
    char first[FIELDS_TEXT_SIZE], last[FIELDS_TEXT_SIZE], id[IDS_TEXT_SIZE];
    size_t shown = 0;

    output_format("\"apart\":{\"count\":%" PRIu64 ",\"first\":[", periods_ids_apart(periods));
    for (size_t i = 0; i < periods->count && shown < findings->list_max; i++) {
        const struct period *period = &periods->list[i];
        if (period == main_period)
            continue;
        output_string(shown++ == 0 ? "{\"id\":" : ",{\"id\":");
        output_json_string(id_text(&period->first, id));
        output_format(",\"ids\":%" PRIu64 ",\"worker\":%" PRIu32 ",\"several\":%s,\"first\":", period->ids,
                      period->worker, period->is_of_many ? "true" : "false");
        output_json_string(fields_time(period->first_ms, first));
        output_string(",\"last\":");
        output_json_string(fields_time(period->last_ms, last));
        output_string("}");
    }
    output_string("]},");
}

static void workers_json(const struct findings *findings, const struct ids_layout *layout, struct worker_stats *stats)
{
    size_t rows = rows_shown(findings, stats);
    const struct worker_row *row = worker_stats_sorted(stats);
    char first[FIELDS_TEXT_SIZE], last[FIELDS_TEXT_SIZE];

    output_format("\"worker_count\":%zu,\"untallied\":%" PRIu64 ",\"workers\":[", worker_stats_size(stats),
                  findings->untallied);
    for (size_t i = 0; i < rows; i++, row++)
        output_format(
            "%s{\"worker\":%" PRIu32 ",\"ids\":%" PRIu64 ",\"first\":\"%s\",\"last\":\"%s\",\"tick_peak\":%" PRIu64
            ",\"second_peak\":%" PRIu64 ",\"ids_per_second\":%.1f}",
            i == 0 ? "" : ",", row->worker, row->ids, fields_time(row->first_ms, first),
            fields_time(row->last_ms, last), row->tick_peak, row->second_peak, mean_rate(row, layout->layout.tick_ms));
    output_string("]");
}

void findings_json(const struct findings *findings, const struct ids_layout *layout, struct worker_stats *stats)
{
    output_format("{\"layout\":\"%s\",\"ids\":%" PRIu64 ",\"unreadable\":%" PRIu64 ",", layout->label, findings->ids,
                  findings->unreadable);
    for (int kind = 0; kind < FINDING_KINDS; kind++) {
        output_format("\"%s\":{\"count\":%" PRIu64 ",\"first\":[", kinds[kind].key, findings->kinds[kind].count);
        for (size_t i = 0; i < findings->kinds[kind].kept; i++) {
            output_string(i == 0 ? "" : ",");
            example_json((enum finding_kind)kind, &findings->kinds[kind].list[i]);
        }
        output_string("]},");
    }
    apart_json(findings);
    workers_json(findings, layout, stats);
    output_string("}\n");
}
