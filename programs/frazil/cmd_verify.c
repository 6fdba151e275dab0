/* SPDX-License-Identifier: MIT */
/* frazil verify: what is wrong with a stream of ids. */
#include "command.h"
#include "complain.h"
#include "fields.h"
#include "findings.h"
#include "ids.h"
#include "options.h"
#include "sorter.h"
#include "stop.h"
#include "values.h"
#include "worker_stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define LIST_MAX WORKER_STATS_MAX
/* Two years: no id in that time is not what an archive has, not even one of a yearly job. */
#define APART_DAYS 730
#define PROGRESS_EVERY (UINT64_C(1) << 20) /* ids */

struct check {
    struct ids_layout layout;
    int form;
    int64_t tolerance_ms;
    int64_t future_from_ms; /* as of the last look at the clock */
    struct findings findings;
    struct sorter *sorter;
    struct worker_stats *stats;
    bool show_progress;
    double started_s;
};

/* The parts of an id that the check compares. */
struct place {
    int64_t unix_ms;
    uint32_t worker;
    unsigned side;   /* of the tick-tock */
    uint64_t number; /* ascends within one side of one worker */
};

static bool place_of(const struct ids_layout *layout, const struct id *id, struct place *ret)
{
    frazil_sno_fields sno;
    frazil_fields parts;

    if (id->kind == FRAZIL_LAYOUT_SNO) {
        frazil_sno_decompose(&id->sno, &sno);
        /* The metabyte is the caller's: it says nothing about the order. */
        *ret = (struct place){sno.unix_ms, sno.partition, sno.ticktock, (uint64_t)sno.unix_ms << 16 | sno.sequence};
        return true;
    }
    if (frazil_id_decompose(&layout->layout, id->number, &parts, NULL) != FRAZIL_OK)
        return false;
    *ret = (struct place){parts.unix_ms, parts.worker, 0, id->number};
    return true;
}

static struct sorter_id to_sorter(const struct id *id)
{
    struct sorter_id ret = {id->number, 0};

    if (id->kind == FRAZIL_LAYOUT_SNO) {
        ret.high = 0;
        for (int i = 0; i < 8; i++)
            ret.high = ret.high << 8 | id->sno.bytes[i];
        ret.low = (uint16_t)(id->sno.bytes[8] << 8 | id->sno.bytes[9]);
    }
    return ret;
}

static struct id from_sorter(frazil_layout_kind kind, struct sorter_id from)
{
    struct id id = {.kind = kind, .number = from.high};

    if (kind == FRAZIL_LAYOUT_SNO) {
        for (int i = 0; i < 8; i++)
            id.sno.bytes[i] = (uint8_t)(from.high >> (56 - 8 * i));
        id.sno.bytes[8] = (uint8_t)(from.low >> 8);
        id.sno.bytes[9] = (uint8_t)from.low;
    }
    return id;
}

/* ---- progress --------------------------------------------------------------------- */

static void progress(const struct check *check, const char *what)
{
    if (check->show_progress)
        complain_progress("%s %" PRIu64 " ids, %.0f s", what, sorter_count(check->sorter),
                          stop_seconds_now() - check->started_s);
}

static void progress_end(const struct check *check)
{
    if (check->show_progress)
        complain_progress("%s", "");
}

/* ---- reading ------------------------------------------------------------------------ */

/* The usual case, fast: up to 19 digits without a leading zero. */
static bool parse_decimal(const char *text, size_t len, uint64_t *ret)
{
    uint64_t value = 0;

    if (len == 0 || len > 19 || (text[0] == '0' && len > 1))
        return false;
    for (size_t i = 0; i < len; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        if (digit > 9)
            return false;
        value = value * 10 + digit;
    }
    *ret = value;
    return true;
}

static frazil_err read_id(const struct check *check, const struct value *line, struct id *ret, frazil_error *why)
{
    frazil_layout_kind kind = check->layout.layout.kind;

    ret->kind = kind;
    if (kind == FRAZIL_LAYOUT_64 && (check->form == IDS_FORM_ANY || check->form == FRAZIL_TEXT_DEC) &&
        parse_decimal(line->text, line->len, &ret->number))
        return FRAZIL_OK;
    return ids_parse_data(kind, check->form, line->text, line->len, ret, why);
}

/* Whether an instant is later than the clock allows.  The clock is read only when it seems so. */
static bool in_future(struct check *check, int64_t unix_ms)
{
    if (unix_ms <= check->future_from_ms)
        return false;
    check->future_from_ms = fields_now() + check->tolerance_ms;
    return unix_ms > check->future_from_ms;
}

static int out_of_memory(const struct check *check)
{
    progress_end(check);
    complain("out of memory after %" PRIu64 " ids", sorter_count(check->sorter));
    return STATUS_FATAL;
}

static int unreadable(struct check *check, const struct value *line, const char *why)
{
    if (++check->findings.unreadable <= check->findings.list_max) {
        progress_end(check);
        (void)values_complain(line, why);
    }
    return STATUS_OK; /* counted: it is in the report */
}

static int check_line(void *ctx, const struct value *line)
{
    struct check *check = ctx;
    struct finding finding = {.file = line->file, .line = line->line};
    struct worker_row *row;
    struct place place;
    frazil_error why;

    if (line->fault != NULL)
        return unreadable(check, line, line->fault);
    if (read_id(check, line, &finding.id, &why) != FRAZIL_OK)
        return unreadable(check, line, why.message);
    if (!sorter_add(check->sorter, to_sorter(&finding.id)))
        return out_of_memory(check);
    if (sorter_count(check->sorter) % PROGRESS_EVERY == 0)
        progress(check, "read");
    if (!place_of(&check->layout, &finding.id, &place)) {
        findings_add(&check->findings, FINDING_FOREIGN, &finding);
        return STATUS_OK;
    }
    if (in_future(check, place.unix_ms))
        findings_add(&check->findings, FINDING_FUTURE, &finding);
    if (!worker_stats_row(check->stats, place.worker, &row))
        return out_of_memory(check);
    if (row != NULL && !worker_stats_order(row, place.side, place.number))
        findings_add(&check->findings, FINDING_DISORDER, &finding);
    return STATUS_OK;
}

static int read_all(struct check *check, const struct arguments *files)
{
    int status = STATUS_OK;

    if (files->count == 0)
        return values_each_raw("-", check_line, check);
    for (int i = 0; i < files->count && status == STATUS_OK; i++)
        status = values_each_raw(files->values[i], check_line, check);
    return status;
}

/* ---- in ascending order ---------------------------------------------------------------- */

/* Counts an id that is there `times` times. */
static int count_id(struct check *check, struct sorter_id from, uint64_t times)
{
    struct finding finding = {.id = from_sorter(check->layout.layout.kind, from), .times = times};
    struct worker_row *row;
    struct place place;

    if (times > 1)
        findings_add(&check->findings, FINDING_DUPLICATE, &finding);
    if (!place_of(&check->layout, &finding.id, &place))
        return STATUS_OK;
    if (!periods_add(&check->findings.periods, &finding.id, place.worker, place.unix_ms, times) ||
        !worker_stats_row(check->stats, place.worker, &row))
        return out_of_memory(check);
    if (row == NULL)
        check->findings.untallied += times;
    for (uint64_t i = 0; i < times && row != NULL; i++)
        worker_stats_count(row, place.unix_ms);
    return STATUS_OK;
}

static int count_all(struct check *check)
{
    struct sorter_id id, next;
    uint64_t times = 1;
    int status = STATUS_OK;

    progress(check, "sorting");
    if (!sorter_sort(check->sorter))
        return out_of_memory(check);
    progress(check, "comparing");
    if (!sorter_take(check->sorter, &id))
        return STATUS_OK;
    while (status == STATUS_OK && sorter_take(check->sorter, &next)) {
        if (next.high == id.high && next.low == id.low) {
            times++;
            continue;
        }
        status = count_id(check, id, times);
        id = next;
        times = 1;
    }
    return status == STATUS_OK ? count_id(check, id, times) : status;
}

static int run(struct check *check, const struct arguments *files, bool json)
{
    int status = read_all(check, files);

    if (status == STATUS_OK)
        status = count_all(check);
    if (status != STATUS_OK)
        return status;
    progress_end(check);
    check->findings.ids = sorter_count(check->sorter);
    if (json)
        findings_json(&check->findings, &check->layout, check->stats);
    else
        findings_text(&check->findings, &check->layout, check->stats);
    if (check->findings.ids == 0 && check->findings.unreadable == 0)
        complain("there was nothing to verify: the input has no lines");
    return findings_any(&check->findings) ? STATUS_BAD_VALUE : STATUS_OK;
}

static int open_and_run(struct check *check, const struct arguments *files, bool json)
{
    int status;

    check->sorter = sorter_new(check->layout.layout.kind == FRAZIL_LAYOUT_SNO);
    check->stats = worker_stats_new();
    check->show_progress = isatty(STDERR_FILENO) == 1;
    check->started_s = stop_seconds_now();
    if (check->sorter != NULL && check->stats != NULL) {
        status = run(check, files, json);
    } else {
        complain("out of memory");
        status = STATUS_FATAL;
    }
    findings_free(&check->findings);
    worker_stats_free(check->stats);
    sorter_free(check->sorter);
    return status;
}

static int cmd_verify_run(int argc, char **argv)
{
    struct check check = {.future_from_ms = INT64_MIN};
    struct option_u64 list = {true, 10}, tolerance = {true, 1000}, apart = {true, APART_DAYS};
    const char *layout = NULL, *form = NULL;
    struct arguments files;
    bool json = false;
    int status;
    const struct option_row rows[] = {
        {"layout", 'l', OPTION_TEXT, &layout, "L", "preset or description (default frazil)", 0},
        {"form", 'f', OPTION_TEXT, &form, "FORM", "the form of the ids (default dec; snos: sno or hex)", 0},
        {"list", 'n', OPTION_U64, &list, "N", "show the first N of each kind (default 10)", LIST_MAX},
        {"tolerance", 0, OPTION_U64, &tolerance, "MS", "how far ids may be ahead of the clock (1000)", INT32_MAX},
        {"apart", 0, OPTION_U64, &apart, "DAYS", "report pauses longer than DAYS (730; 0: none)", 36525},
        {"json", 'j', OPTION_FLAG, &json, NULL, "one object", 0},
        {0},
    };
    static const struct option_help help = {
        "verify", "[OPTION]... [FILE]...",
        "Reads ids, one per line, and reports duplicates, ids below the previous one\n"
        "of their worker, ids of the future, of another layout or years from all\n"
        "others, and each worker's rate.  Exact; about 8 bytes of memory per id.\n"
        "Exit 0: clean, 1: findings.",
        "  psql -Atc 'select id from orders' | frazil verify --layout twitter\n" IDS_FORM_HELP, NULL};

    if (!options_read(&help, rows, argc, argv, &files, &status))
        return status;
    if (!ids_form_choose("--form", form, &check.form) || !ids_layout_choose(layout, &check.layout))
        return STATUS_USAGE;
    check.findings.list_max = (size_t)list.value;
    check.findings.periods.pause_ms = (int64_t)apart.value * 86400000;
    check.tolerance_ms = (int64_t)tolerance.value;
    return open_and_run(&check, &files, json);
}

const struct command cmd_verify = {"verify", "duplicates, disorder and rates in a stream of ids", cmd_verify_run};
