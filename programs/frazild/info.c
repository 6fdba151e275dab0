/* SPDX-License-Identifier: MIT */
#include "info.h"

#include "trouble.h"

#include <stdio.h>
#include <string.h>

#include <frazil/extras.h>

static struct info_pair *add(struct info *info, const char *key)
{
    struct info_pair *pair = &info->pairs[info->count < INFO_PAIRS_MAX ? info->count++ : INFO_PAIRS_MAX - 1];

    pair->key = key;
    return pair;
}

static void info_number(struct info *info, const char *key, uint64_t number)
{
    struct info_pair *pair = add(info, key);

    pair->is_number = true;
    pair->number = number;
}

void info_text(struct info *info, const char *key, const char *text)
{
    struct info_pair *pair = add(info, key);

    pair->is_number = false;
    (void)snprintf(pair->text, sizeof pair->text, "%s", text);
}

static void info_time(struct info *info, const char *key, int64_t unix_ms)
{
    char text[FRAZIL_TIME_SIZE] = "";

    if (frazil_time_format(unix_ms, text, sizeof text, NULL) != FRAZIL_OK)
        (void)snprintf(text, sizeof text, "%lld", (long long)unix_ms);
    info_text(info, key, text);
}

static frazil_err fail(frazil_error *err, frazil_err code, const char *why)
{
    *err = (frazil_error){.code = code};
    (void)snprintf(err->message, sizeof err->message, "%s", why);
    return code;
}

static frazil_err read_sno_hex(struct slice text, frazil_sno *ret, frazil_error *err)
{
    for (size_t i = 0; i < FRAZIL_SNO_SIZE; i++) {
        int high = hex_digit(text.at[2 * i]), low = hex_digit(text.at[2 * i + 1]);
        if (high < 0 || low < 0)
            return fail(err, FRAZIL_EPARSE, "the hex digits of a sno are 20 of 0-9a-f");
        ret->bytes[i] = (uint8_t)(high * 16 + low);
    }
    return FRAZIL_OK;
}

frazil_err info_read_id(const frazil_layout *layout, struct slice text, struct info_id *ret, frazil_error *err)
{
    ret->is_sno = layout->kind == FRAZIL_LAYOUT_SNO;
    if (!ret->is_sno) {
        frazil_text form = text.len > 2 && text.at[0] == '0' && text.at[1] == 'x' ? FRAZIL_TEXT_HEX : FRAZIL_TEXT_DEC;
        return frazil_id_parse(form, text.at, text.len, &ret->number, err);
    }
    if (text.len == 2 * FRAZIL_SNO_SIZE)
        return read_sno_hex(text, &ret->sno, err);
    if (text.len == FRAZIL_UUID_LEN)
        return frazil_sno_uuid_parse(text.at, text.len, &ret->sno, err);
    return frazil_sno_decode(text.at, text.len, &ret->sno, err);
}

void info_write_id(const struct info_id *id, char out[INFO_TEXT_SIZE])
{
    size_t len = FRAZIL_SNO_LEN;

    if (id->is_sno)
        frazil_sno_encode(&id->sno, out);
    else
        len = bytes_digits(out, id->number);
    out[len] = '\0';
}

static void add_layout(struct info *info, const frazil_layout *layout)
{
    char text[FRAZIL_FINGERPRINT_SIZE] = "";

    info_text(info, "layout", layout->name);
    if (frazil_layout_fingerprint(layout, text, sizeof text, NULL) == FRAZIL_OK)
        info_text(info, "fingerprint", text);
}

static void info_of_sno(const frazil_sno *sno, struct info *ret)
{
    char partition[FRAZIL_SNO_PARTITION_SIZE] = "";
    frazil_sno_fields fields;

    frazil_sno_decompose(sno, &fields);
    info_time(ret, "time", fields.unix_ms);
    info_number(ret, "unix_ms", (uint64_t)fields.unix_ms);
    info_number(ret, "partition", fields.partition);
    if (frazil_sno_partition_format(fields.partition, partition, sizeof partition, NULL) == FRAZIL_OK)
        info_text(ret, "partition_bytes", partition);
    info_number(ret, "sequence", fields.sequence);
    info_number(ret, "meta", fields.meta);
    info_number(ret, "ticktock", fields.ticktock);
}

frazil_err info_of_id(const frazil_layout *layout, const struct info_id *id, struct info *ret, frazil_error *err)
{
    frazil_fields fields;
    char text[INFO_TEXT_SIZE];

    *ret = (struct info){.count = 0};
    if (!id->is_sno) {
        frazil_err code = frazil_id_decompose(layout, id->number, &fields, err);
        if (code != FRAZIL_OK)
            return code;
    }
    info_write_id(id, text);
    info_text(ret, "id", text);
    add_layout(ret, layout);
    if (id->is_sno) {
        info_of_sno(&id->sno, ret);
        return FRAZIL_OK;
    }
    info_time(ret, "time", fields.unix_ms);
    if (fields.unix_ms >= 0)
        info_number(ret, "unix_ms", (uint64_t)fields.unix_ms);
    info_number(ret, "worker", fields.worker);
    if (layout->datacenter_bits > 0) {
        info_number(ret, "datacenter", fields.datacenter);
        info_number(ret, "worker_in_datacenter", fields.worker_in_datacenter);
    }
    info_number(ret, "sequence", fields.sequence);
    return FRAZIL_OK;
}

static frazil_err read_number(struct slice text, uint64_t most, const char *what, uint64_t *ret, frazil_error *err)
{
    frazil_err code = frazil_id_parse(FRAZIL_TEXT_DEC, text.at, text.len, ret, err);

    if (code == FRAZIL_OK && *ret <= most)
        return FRAZIL_OK;
    return fail(err, FRAZIL_ERANGE, what);
}

frazil_err info_compose(const frazil_layout *layout, struct slice when, struct slice worker, struct slice sequence,
                        struct info_id *ret, frazil_error *err)
{
    bool is_sno = layout->kind == FRAZIL_LAYOUT_SNO;
    uint64_t most = is_sno ? UINT16_MAX : UINT32_MAX, number, within;
    int64_t unix_ms;
    frazil_err code = frazil_time_parse(when.at, when.len, &unix_ms, err);

    if (code == FRAZIL_OK)
        code = read_number(worker, most, "the worker is not a number that fits the layout", &number, err);
    if (code == FRAZIL_OK)
        code = read_number(sequence, most, "the sequence is not a number that fits the layout", &within, err);
    if (code != FRAZIL_OK)
        return code;
    ret->is_sno = is_sno;
    if (is_sno) {
        frazil_sno_fields sno = {.unix_ms = unix_ms, .partition = (uint16_t)number, .sequence = (uint16_t)within};
        return frazil_sno_compose(&sno, &ret->sno, err);
    }
    frazil_fields fields = {.unix_ms = unix_ms, .worker = (uint32_t)number, .sequence = (uint32_t)within};
    return frazil_id_compose(layout, &fields, &ret->number, err);
}

frazil_err info_range(const frazil_layout *layout, struct slice from, struct slice to, struct info *ret,
                      frazil_error *err)
{
    struct info_id first = {.is_sno = layout->kind == FRAZIL_LAYOUT_SNO}, last = first;
    char text[INFO_TEXT_SIZE];
    int64_t from_ms, to_ms;
    frazil_err code = frazil_time_parse(from.at, from.len, &from_ms, err);

    *ret = (struct info){.count = 0};
    if (code == FRAZIL_OK)
        code = frazil_time_parse(to.at, to.len, &to_ms, err);
    if (code == FRAZIL_OK)
        code = first.is_sno ? frazil_sno_range(from_ms, to_ms, &first.sno, &last.sno, err)
                            : frazil_id_range(layout, from_ms, to_ms, &first.number, &last.number, err);
    if (code != FRAZIL_OK)
        return code;
    info_write_id(&first, text);
    info_text(ret, "first", text);
    info_write_id(&last, text);
    info_text(ret, "last", text);
    return FRAZIL_OK;
}

void info_of_layout(const frazil_layout *layout, struct info *ret)
{
    frazil_layout_info info;

    *ret = (struct info){.count = 0};
    frazil_layout_get_info(layout, &info, sizeof info);
    add_layout(ret, layout);
    info_text(ret, "kind", layout->kind == FRAZIL_LAYOUT_SNO ? "sno" : "64-bit");
    info_number(ret, "bits", info.total_bits);
    info_number(ret, "time_bits", layout->time_bits);
    info_number(ret, "worker_bits", layout->worker_bits);
    info_number(ret, "datacenter_bits", layout->datacenter_bits);
    info_number(ret, "sequence_bits", layout->sequence_bits);
    info_number(ret, "tick_ms", layout->tick_ms);
    info_number(ret, "workers", info.workers);
    info_number(ret, "ids_per_tick", info.ids_per_tick);
    info_number(ret, "ids_per_second", info.ids_per_second);
    info_time(ret, "epoch", info.first_unix_ms);
    info_time(ret, "end", info.last_unix_ms);
    info_text(ret, "fits_53_bits", info.fits_53_bits ? "yes" : "no");
    info_text(ret, "reaches_sign_bit", info.reaches_sign_bit ? "yes" : "no");
}

const char *info_health_name(int32_t state)
{
    static const char *const names[] = {"serving", "needs_grant", "behind", "fenced", "exhausted", "stopped"};

    return (size_t)state < sizeof names / sizeof names[0] ? names[state] : "unknown";
}

/* Why it gives no ids, or soon will not, and when that can change. */
static void add_trouble(struct info *info, const struct engine *engine)
{
    struct trouble trouble;

    trouble_find(engine, &trouble);
    if (trouble.why[0] != '\0')
        info_text(info, "why", trouble.why);
    if (trouble.retry_ns > 0)
        info_time(info, "retry_at", trouble_end_unix_ms(&trouble));
}

void info_of_generator(const struct generator *generator, struct info *ret)
{
    const struct engine *engine = generator_worst(generator);
    frazil_info info;
    frazil_health health;

    *ret = (struct info){.count = 0};
    frazil_get_info(engine->gen, &info, sizeof info);
    engine_health(engine, &health, NULL);
    info_text(ret, "name", generator->name);
    add_layout(ret, &engine->layout);
    info_text(ret, "state", info_health_name(health.state));
    add_trouble(ret, engine);
    info_number(ret, "worker", health.worker);
    info_number(ret, "worker_ids", generator_worker_ids(generator));
    info_number(ret, "leased", info.state == FRAZIL_STATE_GRANT);
    info_number(ret, "ids_per_tick", info.capacity);
    if (health.needs_grant != 0)
        info_time(ret, "grant_end", health.grant_end_unix_ms);
    info_number(ret, "max_batch", generator->max_batch);
    info_number(ret, "rate", generator->rate.per_second);
    info_number(ret, "waiting", generator_waiting(generator));
}

void info_of_engine(const struct engine *engine, struct info *ret)
{
    frazil_health health;

    *ret = (struct info){.count = 0};
    engine_health(engine, &health, NULL);
    info_number(ret, "worker", health.worker);
    info_text(ret, "state", info_health_name(health.state));
    if (health.needs_grant != 0)
        info_time(ret, "grant_end", health.grant_end_unix_ms);
}

/* Whether several worker ids have the largest of a statistic, and not its sum. */
static bool is_extent(size_t number)
{
    return number == FRAZIL_STAT_BACKWARD_MAX_US || number == FRAZIL_STAT_LEAD_US || number == FRAZIL_STAT_LEAD_MAX_US;
}

void info_of_stats(const struct generator *generator, struct info *ret)
{
    frazil_stat stats[FRAZIL_STATS_MOST];
    uint64_t totals[FRAZIL_STATS_MOST] = {0};
    size_t count = 0;

    *ret = (struct info){.count = 0};
    for (const struct engine *engine = generator->engine; engine != NULL; engine = engine->next) {
        count = frazil_get_stats(engine->gen, stats, FRAZIL_STATS_MOST);
        for (size_t i = 0; i < count; i++) {
            uint64_t larger = totals[i] > stats[i].value ? totals[i] : stats[i].value;
            totals[i] = is_extent(i) ? larger : totals[i] + stats[i].value;
        }
    }
    for (size_t i = 0; i < count; i++)
        info_number(ret, stats[i].name, totals[i]);
    info_number(ret, "taken_by_clients", generator_ids(generator));
    info_number(ret, "waiting", generator_waiting(generator));
}
