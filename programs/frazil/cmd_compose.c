/* SPDX-License-Identifier: MIT */
/* frazil compose: the id of given fields. */
#include "command.h"
#include "complain.h"
#include "fields.h"
#include "ids.h"
#include "options.h"
#include "output.h"
#include "values.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Columns of a line of --tsv: unix_ms worker sequence, for snos unix_ms ticktock meta partition sequence. */
#define COLUMNS_64 3
#define COLUMNS_SNO 5

struct composition {
    struct ids_layout layout;
    int form;
    bool tsv;
    struct option_time unix_ms, time;
    struct option_u64 worker, datacenter, sequence, ticktock, meta, partition;
};

static frazil_err out_of_range(const char *field, uint64_t value, uint64_t max, frazil_error *reterr)
{
    *reterr = (frazil_error){.code = FRAZIL_ERANGE};
    (void)snprintf(reterr->message, sizeof reterr->message, "%s %llu does not fit: must be from 0 to %llu", field,
                   (unsigned long long)value, (unsigned long long)max);
    return FRAZIL_ERANGE;
}

/* The numbers of a sno in the order of its fields, each checked before it becomes narrower. */
static frazil_err compose_sno(int64_t unix_ms, const uint64_t numbers[4], struct id *ret, frazil_error *reterr)
{
    static const struct {
        const char *name;
        uint64_t max;
    } fields[4] = {{"ticktock", 1}, {"meta", 255}, {"partition", 65535}, {"sequence", 65535}};

    for (int i = 0; i < 4; i++) {
        if (numbers[i] > fields[i].max)
            return out_of_range(fields[i].name, numbers[i], fields[i].max, reterr);
    }
    const frazil_sno_fields parts = {.unix_ms = unix_ms,
                                     .ticktock = (uint8_t)numbers[0],
                                     .meta = (uint8_t)numbers[1],
                                     .partition = (uint16_t)numbers[2],
                                     .sequence = (uint16_t)numbers[3]};
    ret->kind = FRAZIL_LAYOUT_SNO;
    return frazil_sno_compose(&parts, &ret->sno, reterr);
}

static frazil_err compose_number(const frazil_layout *layout, int64_t unix_ms, uint64_t worker, uint64_t sequence,
                                 struct id *ret, frazil_error *reterr)
{
    if (worker > UINT32_MAX)
        return out_of_range("worker", worker, ((uint64_t)1 << layout->worker_bits) - 1, reterr);
    if (sequence > UINT32_MAX)
        return out_of_range("sequence", sequence, ((uint64_t)1 << layout->sequence_bits) - 1, reterr);
    frazil_fields parts = {.unix_ms = unix_ms, .worker = (uint32_t)worker, .sequence = (uint32_t)sequence};
    ret->kind = FRAZIL_LAYOUT_64;
    return frazil_id_compose(layout, &parts, &ret->number, reterr);
}

static frazil_err print_id(const struct composition *c, const struct id *id, frazil_error *reterr)
{
    char text[IDS_TEXT_SIZE];
    frazil_err err = ids_format(id, c->form, text, reterr);

    if (err == FRAZIL_OK)
        output_format("%s\n", text);
    return err;
}

/* ---- from options ---------------------------------------------------------- */

static bool is_sno(const struct composition *c)
{
    return c->layout.layout.kind == FRAZIL_LAYOUT_SNO;
}

/* An option of compose, and what it means for the layout. */
struct field_option {
    const char *name;
    bool given, needed, possible;
};

/* Names all that are missing, so that nobody has to try as often as there are fields. */
static bool check_missing(const struct field_option *options, size_t count)
{
    char names[160] = "";
    size_t used = 0, missing = 0;

    for (size_t i = 0; i < count; i++) {
        if (!options[i].needed || options[i].given)
            continue;
        int len = snprintf(names + used, sizeof names - used, "%s%s", missing == 0 ? "" : ", ", options[i].name);
        used += (size_t)len;
        assert(used < sizeof names);
        missing++;
    }
    if (missing > 0)
        complain("compose needs %s", names);
    return missing == 0;
}

static bool check_possible(const struct composition *c, const struct field_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (options[i].given && !options[i].possible) {
            complain("the layout %s has no field for %s", c->layout.label, options[i].name);
            return false;
        }
    }
    return true;
}

/* Everything that decides the id was said, and nothing that this layout does not have. */
static bool check_options(const struct composition *c)
{
    const frazil_layout *l = &c->layout.layout;
    const struct field_option options[] = {
        {"--unix-ms or --time (one of them)", c->unix_ms.given != c->time.given, true, true},
        {"--worker", c->worker.given, !is_sno(c) && l->worker_bits > 0, !is_sno(c)},
        {"--datacenter", c->datacenter.given, false, l->datacenter_bits > 0},
        {"--partition", c->partition.given, is_sno(c), is_sno(c)},
        {"--sequence", c->sequence.given, true, true},
        {"--meta", c->meta.given, false, is_sno(c)},
        {"--ticktock", c->ticktock.given, false, is_sno(c)},
    };
    const size_t count = sizeof options / sizeof options[0];

    return check_missing(options, count) && check_possible(c, options, count);
}

/* The whole worker number: with --datacenter, --worker counts inside it. */
static frazil_err whole_worker(const struct composition *c, uint64_t *ret, frazil_error *reterr)
{
    const frazil_layout *l = &c->layout.layout;
    unsigned low_bits = (unsigned)l->worker_bits - l->datacenter_bits;
    uint64_t low_max = ((uint64_t)1 << low_bits) - 1, high_max = ((uint64_t)1 << l->datacenter_bits) - 1;

    *ret = c->worker.value;
    if (!c->datacenter.given)
        return FRAZIL_OK;
    if (c->datacenter.value > high_max)
        return out_of_range("datacenter", c->datacenter.value, high_max, reterr);
    if (c->worker.value > low_max)
        return out_of_range("worker (within its datacenter)", c->worker.value, low_max, reterr);
    *ret = c->datacenter.value << low_bits | c->worker.value;
    return FRAZIL_OK;
}

static int compose_options(const struct composition *c)
{
    int64_t unix_ms = c->unix_ms.given ? c->unix_ms.unix_ms : c->time.unix_ms;
    uint64_t sno_numbers[4] = {c->ticktock.value, c->meta.value, c->partition.value, c->sequence.value};
    frazil_error why;
    frazil_err err;
    uint64_t worker;
    struct id id;

    if (!check_options(c))
        return STATUS_USAGE;
    if (is_sno(c)) {
        err = compose_sno(unix_ms, sno_numbers, &id, &why);
    } else {
        err = whole_worker(c, &worker, &why);
        if (err == FRAZIL_OK)
            err = compose_number(&c->layout.layout, unix_ms, worker, c->sequence.value, &id, &why);
    }
    if (err == FRAZIL_OK)
        err = print_id(c, &id, &why);
    if (err == FRAZIL_OK)
        return STATUS_OK;
    complain("%s", why.message);
    return STATUS_BAD_VALUE;
}

/* ---- from lines ------------------------------------------------------------- */

struct column {
    const char *text;
    size_t len;
};

/* Splits a line at single tabs or spaces; false if there are not exactly `count` columns. */
static bool split(const struct value *line, struct column *columns, size_t count)
{
    size_t n = 0, start = 0;

    for (size_t i = 0; i <= line->len; i++) {
        if (i < line->len && line->text[i] != '\t' && line->text[i] != ' ')
            continue;
        if (n == count || i == start)
            return false;
        columns[n++] = (struct column){line->text + start, i - start};
        start = i + 1;
    }
    return n == count;
}

static int compose_line(void *ctx, const struct value *line)
{
    const struct composition *c = ctx;
    size_t count = is_sno(c) ? COLUMNS_SNO : COLUMNS_64;
    struct column columns[COLUMNS_SNO];
    uint64_t numbers[COLUMNS_SNO - 1];
    int64_t unix_ms;
    frazil_error why;
    struct id id;

    if (!split(line, columns, count))
        return values_complain(line, is_sno(c) ? "unix_ms ticktock meta partition sequence were expected, between tabs"
                                               : "unix_ms worker sequence were expected, between tabs");
    frazil_err err = frazil_time_parse(columns[0].text, columns[0].len, &unix_ms, &why);
    for (size_t i = 1; i < count && err == FRAZIL_OK; i++)
        err = frazil_id_parse(FRAZIL_TEXT_DEC, columns[i].text, columns[i].len, &numbers[i - 1], &why);
    if (err == FRAZIL_OK && is_sno(c))
        err = compose_sno(unix_ms, numbers, &id, &why);
    else if (err == FRAZIL_OK)
        err = compose_number(&c->layout.layout, unix_ms, numbers[0], numbers[1], &id, &why);
    if (err == FRAZIL_OK)
        err = print_id(c, &id, &why);
    return err == FRAZIL_OK ? STATUS_OK : values_complain_error(line, &why);
}

static int run(struct composition *c, const struct arguments *args)
{
    if (args->count > (c->tsv ? 1 : 0)) {
        complain("compose takes %s, not %s", c->tsv ? "one FILE" : "no arguments but options, such as --worker 7",
                 quoted(args->values[args->count - 1]));
        return STATUS_USAGE;
    }
    if (c->tsv)
        return values_each_line(args->count == 1 ? args->values[0] : "-", compose_line, c);
    return compose_options(c);
}

/* A partition as a number, which is checked with the other fields, or as two bytes. */
static bool read_partition(const char *text, struct option_u64 *ret)
{
    frazil_error why;
    uint16_t partition;

    ret->given = true;
    if (options_parse_u64(text, &ret->value))
        return true;
    if (frazil_sno_partition_parse(text, strlen(text), &partition, &why) != FRAZIL_OK) {
        complain("--partition: %s", why.message);
        return false;
    }
    ret->value = partition;
    return true;
}

static int cmd_compose_run(int argc, char **argv)
{
    struct composition c = {.tsv = false};
    const char *layout = NULL, *form = NULL, *partition = NULL;
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"layout", 'l', OPTION_TEXT, &layout, "L", "preset or description (default frazil)", 0},
        {"unix-ms", 0, OPTION_UNIX_MS, &c.unix_ms, "T", "the time, in Unix milliseconds", 0},
        {"time", 0, OPTION_TIME, &c.time, "TIME", "the time, as RFC 3339", 0},
        {"worker", 'w', OPTION_U64, &c.worker, "W", "the whole worker number", 0},
        {"datacenter", 0, OPTION_U64, &c.datacenter, "D", "then --worker is the number inside it", 0},
        {"sequence", 's', OPTION_U64, &c.sequence, "S", "the sequence number", 0},
        {"partition", 0, OPTION_TEXT, &partition, "P", "of a sno: 0 to 65535, or two bytes such as A,10", 0},
        {"meta", 'm', OPTION_U64, &c.meta, "M", "of a sno, 0 to 255 (default 0)", 0},
        {"ticktock", 0, OPTION_U64, &c.ticktock, "B", "of a sno, 0 or 1 (default 0)", 0},
        {"form", 'f', OPTION_TEXT, &form, "FORM", "text form (default dec; for snos: sno, uuid or hex)", 0},
        {"tsv", 0, OPTION_FLAG, &c.tsv, NULL, "from lines of FILE or stdin, see below", 0},
        {0},
    };
    static const struct option_help help = {
        "compose", "[OPTION]... [FILE]", "Prints the id of the given fields.",
        "With --tsv: lines of unix_ms, worker and sequence between tabs or single spaces;\n"
        "for snos of unix_ms, ticktock, meta, partition and sequence.\n\n"
        "  frazil compose -l twitter --time 2022-06-28T16:07:40.105Z -w 378 -s 0",
        NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (!ids_form_choose("--form", form, &c.form) || !ids_layout_choose(layout, &c.layout))
        return STATUS_USAGE;
    if (partition != NULL && !read_partition(partition, &c.partition))
        return STATUS_BAD_VALUE;
    return run(&c, &args);
}

const struct command cmd_compose = {"compose", "the id of given fields", cmd_compose_run};
