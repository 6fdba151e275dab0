/* SPDX-License-Identifier: MIT */
#include "fields.h"
#include "color.h"
#include "output.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <frazil/extras.h>

#define DAY_MS INT64_C(86400000)
#define NAME_WIDTH 12

int64_t fields_now(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

const char *fields_time(int64_t unix_ms, char buf[FIELDS_TEXT_SIZE])
{
    if (frazil_time_format(unix_ms, buf, FIELDS_TEXT_SIZE, NULL) != FRAZIL_OK)
        (void)snprintf(buf, FIELDS_TEXT_SIZE, "?");
    return buf;
}

static char *put(char *out, const char *text)
{
    size_t len = strlen(text);

    memcpy(out, text, len);
    return out + len;
}

bool fields_is_in_seconds(int64_t unix_ms)
{
    /* From 1973 to 2286 in seconds; in milliseconds that is up to April 1970. */
    return unix_ms >= INT64_C(100000000) && unix_ms < INT64_C(10000000000);
}

const char *fields_age(int64_t unix_ms, int64_t now_ms, char buf[FIELDS_TEXT_SIZE])
{
    static const struct {
        int64_t ms;
        const char *name;
    } units[] = {{31556952000, "year"}, {2629746000, "month"}, {86400000, "day"}, {3600000, "hour"},
                 {60000, "minute"},     {1000, "second"},      {1, "millisecond"}};
    bool future = unix_ms > now_ms;
    int64_t distance_ms = future ? unix_ms - now_ms : now_ms - unix_ms;
    size_t unit = 0;

    if (distance_ms == 0) {
        (void)snprintf(buf, FIELDS_TEXT_SIZE, "now");
        return buf;
    }
    while (distance_ms < units[unit].ms)
        unit++;
    int64_t count = distance_ms / units[unit].ms;
    char *end = put(buf, future ? "in " : "");
    end = output_digits(end, (uint64_t)count);
    end = put(put(end, " "), units[unit].name);
    end = put(end, count == 1 ? "" : "s");
    *put(end, future ? ": in the future" : " ago") = '\0';
    return buf;
}

bool fields_is_future(const struct ids_layout *layout, const struct id *id)
{
    frazil_sno_fields sno;
    frazil_fields parts = {0};

    if (id->kind == FRAZIL_LAYOUT_SNO) {
        frazil_sno_decompose(&id->sno, &sno);
        parts.unix_ms = sno.unix_ms;
    } else if (frazil_id_decompose(&layout->layout, id->number, &parts, NULL) != FRAZIL_OK) {
        return false;
    }
    return parts.unix_ms > fields_now() + DAY_MS;
}

frazil_err fields_check(const struct ids_layout *layout, const struct id *id, frazil_error *reterr)
{
    frazil_fields parts;
    frazil_layout_info info;

    if (id->kind == FRAZIL_LAYOUT_SNO || frazil_id_decompose(&layout->layout, id->number, &parts, NULL) == FRAZIL_OK)
        return FRAZIL_OK;
    frazil_layout_get_info(&layout->layout, &info, sizeof info);
    *reterr = (frazil_error){.code = FRAZIL_ERANGE};
    (void)snprintf(reterr->message, sizeof reterr->message,
                   "it is not an id of the layout %s, whose largest is %" PRIu64
                   "; inspect --guess shows which layouts fit",
                   layout->label, info.max_id);
    return FRAZIL_ERANGE;
}

/* The UUID of a sno, and its partition, as text. */
struct sno_names {
    char uuid[FRAZIL_UUID_LEN + 1];
    char partition[FRAZIL_SNO_PARTITION_SIZE];
};

static void name_sno(const frazil_sno *sno, uint16_t partition, struct sno_names *ret)
{
    size_t len;

    frazil_err err = frazil_sno_uuid_format(sno, ret->uuid, sizeof ret->uuid, &len);
    assert(err == FRAZIL_OK);
    err = frazil_sno_partition_format(partition, ret->partition, sizeof ret->partition, &len);
    assert(err == FRAZIL_OK);
    (void)err;
}

static bool has_form(const struct id *id, int form, char text[IDS_TEXT_SIZE])
{
    frazil_error err;

    return ids_format(id, form, text, &err) == FRAZIL_OK;
}

static void forms_json(const struct id *id)
{
    const char *before = ",\"forms\":{";
    char text[IDS_TEXT_SIZE];

    for (int form = 0; form < IDS_FORM_COUNT; form++) {
        if (!has_form(id, form, text))
            continue;
        output_string(before);
        output_json_string(ids_form_name(form));
        output_string(":");
        output_json_string(text);
        before = ",";
    }
    output_string("}");
}

static void sno_json(const frazil_sno *sno)
{
    char text[FRAZIL_SNO_LEN], hex[2 * FRAZIL_SNO_SIZE + 1], time[FIELDS_TEXT_SIZE];
    frazil_sno_fields parts;
    struct sno_names names;

    frazil_sno_encode(sno, text);
    ids_sno_hex(sno, hex);
    frazil_sno_decompose(sno, &parts);
    name_sno(sno, parts.partition, &names);
    output_format("{\"text\":\"%.16s\",\"hex\":\"%s\",\"uuid\":\"%s\",\"time\":\"%s\",\"unix_ms\":%" PRId64
                  ",\"ticktock\":%u,\"meta\":%u,\"partition\":%u,\"partition_text\":\"%s\",\"sequence\":%u",
                  text, hex, names.uuid, fields_time(parts.unix_ms, time), parts.unix_ms, (unsigned)parts.ticktock,
                  (unsigned)parts.meta, (unsigned)parts.partition, names.partition, (unsigned)parts.sequence);
}

static void number_json(const struct ids_layout *layout, const struct id *id)
{
    char time[FIELDS_TEXT_SIZE];
    frazil_fields parts = {0};

    frazil_err err = frazil_id_decompose(&layout->layout, id->number, &parts, NULL);
    assert(err == FRAZIL_OK);
    (void)err;
    output_string("{\"id\":\"");
    output_u64(id->number);
    output_string("\",\"layout\":");
    output_json_string(layout->label);
    output_string(",\"time\":");
    output_json_string(fields_time(parts.unix_ms, time));
    output_string(",\"unix_ms\":");
    output_i64(parts.unix_ms);
    output_string(",\"worker\":");
    output_u64(parts.worker);
    if (layout->layout.datacenter_bits > 0) {
        output_string(",\"datacenter\":");
        output_u64(parts.datacenter);
    }
    output_string(",\"sequence\":");
    output_u64(parts.sequence);
}

void fields_json(const struct ids_layout *layout, const struct id *id, bool forms)
{
    if (id->kind == FRAZIL_LAYOUT_SNO)
        sno_json(&id->sno);
    else
        number_json(layout, id);
    if (forms)
        forms_json(id);
    output_string("}");
}

/* ---- for people: written piece by piece, because printf takes most of the time that a million ids take ---- */

/* The name in colour where there are colours, padded to the column of the values. */
static void name_column(const char *name)
{
    char padded[NAME_WIDTH + 1];
    size_t len = strlen(name);

    assert(len <= NAME_WIDTH);
    memset(padded, ' ', NAME_WIDTH);
    memcpy(padded, name, len);
    padded[NAME_WIDTH] = '\0';
    if (color_in_use())
        output_color(2);
    output_string(padded);
    if (color_in_use())
        output_color(0);
}

static void line(const char *name, const char *value)
{
    name_column(name);
    output_string(value);
    output_string("\n");
}

static void line_u64(const char *name, uint64_t value)
{
    name_column(name);
    output_u64(value);
    output_string("\n");
}

static void time_lines(int64_t unix_ms)
{
    char time[FIELDS_TEXT_SIZE], age[FIELDS_TEXT_SIZE];

    name_column("time");
    output_string(fields_time(unix_ms, time));
    output_string("  (");
    output_string(fields_age(unix_ms, fields_now(), age));
    output_string(")\n");
    name_column("unix_ms");
    output_i64(unix_ms);
    output_string("\n");
}

static void sno_text(const frazil_sno *sno)
{
    char text[FRAZIL_SNO_LEN + 1], hex[2 * FRAZIL_SNO_SIZE + 1];
    char partition[FIELDS_TEXT_SIZE];
    frazil_sno_fields parts;
    struct sno_names names;

    frazil_sno_encode(sno, text);
    text[FRAZIL_SNO_LEN] = '\0';
    ids_sno_hex(sno, hex);
    frazil_sno_decompose(sno, &parts);
    name_sno(sno, parts.partition, &names);
    (void)snprintf(partition, sizeof partition, "%u  (%s)", (unsigned)parts.partition, names.partition);
    line("text", text);
    line("hex", hex);
    line("uuid", names.uuid);
    line("layout", "sno");
    time_lines(parts.unix_ms);
    line_u64("ticktock", parts.ticktock);
    line_u64("meta", parts.meta);
    line("partition", partition);
    line_u64("sequence", parts.sequence);
}

static void number_text(const struct ids_layout *layout, uint64_t id)
{
    const frazil_layout *l = &layout->layout;
    frazil_fields parts = {0};

    frazil_err err = frazil_id_decompose(l, id, &parts, NULL);
    assert(err == FRAZIL_OK);
    (void)err;
    line_u64("id", id);
    line("layout", layout->label);
    time_lines(parts.unix_ms);
    if (l->datacenter_bits > 0) {
        name_column("worker");
        output_u64(parts.worker);
        output_string("  (number ");
        output_u64(parts.worker_in_datacenter);
        output_string(" in its datacenter)\n");
        line_u64("datacenter", parts.datacenter);
    } else {
        line_u64("worker", parts.worker);
    }
    line_u64("sequence", parts.sequence);
}

static void forms_text(const struct id *id)
{
    char text[IDS_TEXT_SIZE];

    output_string("\n");
    for (int form = 0; form < IDS_FORM_COUNT; form++) {
        if (has_form(id, form, text))
            line(ids_form_name(form), text);
    }
}

void fields_text(const struct ids_layout *layout, const struct id *id, bool forms)
{
    if (id->kind == FRAZIL_LAYOUT_SNO)
        sno_text(&id->sno);
    else
        number_text(layout, id->number);
    if (forms)
        forms_text(id);
}
