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
}

bool findings_any(const struct findings *findings)
{
    bool any = findings->unreadable > 0;

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
static double mean_rate(const struct tally_worker *row, uint32_t tick_ms)
{
    return (double)row->ids * 1000.0 / ((double)row->last_ms - (double)row->first_ms + tick_ms);
}

static size_t rows_shown(const struct findings *findings, const struct tally *tally)
{
    size_t rows = tally_size(tally);

    return rows < findings->list_max ? rows : findings->list_max;
}

/* ---- for people --------------------------------------------------------------- */

static void example_text(const struct ids_layout *layout, enum finding_kind kind, const struct finding *finding)
{
    char id[IDS_TEXT_SIZE], time[FIELDS_TEXT_SIZE], age[FIELDS_TEXT_SIZE];
    frazil_sno_parts sno;
    frazil_parts parts;

    output_format("  %s", id_text(&finding->id, id));
    if (kind == FINDING_DUPLICATE)
        output_format("  %" PRIu64 " times", finding->times);
    else
        output_format("  %s:%" PRIu64, finding->file, finding->line);
    if (finding->id.kind == FRAZIL_LAYOUT_SNO) {
        frazil_sno_decompose(&finding->id.sno, &sno);
        parts.unix_ms = sno.unix_ms;
    } else if (frazil_decompose(&layout->layout, finding->id.number, &parts) != FRAZIL_OK) {
        output_string("\n");
        return;
    }
    output_format("  %s", fields_time(parts.unix_ms, time));
    if (kind == FINDING_FUTURE)
        output_format(", %s", fields_age(parts.unix_ms, fields_now(), age));
    output_string("\n");
}

static void workers_text(const struct findings *findings, const struct ids_layout *layout, struct tally *tally)
{
    size_t rows = rows_shown(findings, tally);
    const struct tally_worker *row = tally_sorted(tally);
    char first[FIELDS_TEXT_SIZE], last[FIELDS_TEXT_SIZE];

    output_format("\n%10s %11s  %-24s  %-24s %8s %9s %11s\n",
                  layout->layout.kind == FRAZIL_LAYOUT_SNO ? "partition" : "worker", "ids", "first", "last", "max/tick",
                  "max/s", "ids/s");
    for (size_t i = 0; i < rows; i++, row++)
        output_format("%10" PRIu32 " %11" PRIu64 "  %-24s  %-24s %8" PRIu64 " %9" PRIu64 " %11.1f\n", row->worker,
                      row->ids, fields_time(row->first_ms, first), fields_time(row->last_ms, last), row->tick_peak,
                      row->second_peak, mean_rate(row, layout->layout.tick_ms));
    if (rows < tally_size(tally))
        output_format("  and %zu more; --list %zu shows them\n", tally_size(tally) - rows, tally_size(tally));
    if (findings->untallied > 0)
        output_format("  and %" PRIu64 " ids of further workers, whose order and rate were not looked at\n",
                      findings->untallied);
}

void findings_text(const struct findings *findings, const struct ids_layout *layout, struct tally *tally)
{
    output_format("%-14s %s\n%-14s %" PRIu64 "\n%-14s %" PRIu64 "\n", "layout", layout->label, "ids", findings->ids,
                  "unreadable", findings->unreadable);
    for (int kind = 0; kind < FINDING_KINDS; kind++) {
        output_format("%-14s %" PRIu64 "\n", kinds[kind].title, findings->kinds[kind].count);
        for (size_t i = 0; i < findings->kinds[kind].kept; i++)
            example_text(layout, (enum finding_kind)kind, &findings->kinds[kind].list[i]);
        if (findings->kinds[kind].kept == findings->list_max && findings->kinds[kind].count > findings->list_max)
            output_string("  ... these are the first; --list N shows more\n");
    }
    if (tally_size(tally) > 0)
        workers_text(findings, layout, tally);
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

static void workers_json(const struct findings *findings, const struct ids_layout *layout, struct tally *tally)
{
    size_t rows = rows_shown(findings, tally);
    const struct tally_worker *row = tally_sorted(tally);
    char first[FIELDS_TEXT_SIZE], last[FIELDS_TEXT_SIZE];

    output_format("\"worker_count\":%zu,\"untallied\":%" PRIu64 ",\"workers\":[", tally_size(tally),
                  findings->untallied);
    for (size_t i = 0; i < rows; i++, row++)
        output_format(
            "%s{\"worker\":%" PRIu32 ",\"ids\":%" PRIu64 ",\"first\":\"%s\",\"last\":\"%s\",\"tick_peak\":%" PRIu64
            ",\"second_peak\":%" PRIu64 ",\"ids_per_second\":%.1f}",
            i == 0 ? "" : ",", row->worker, row->ids, fields_time(row->first_ms, first),
            fields_time(row->last_ms, last), row->tick_peak, row->second_peak, mean_rate(row, layout->layout.tick_ms));
    output_string("]");
}

void findings_json(const struct findings *findings, const struct ids_layout *layout, struct tally *tally)
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
    workers_json(findings, layout, tally);
    output_string("}\n");
}
