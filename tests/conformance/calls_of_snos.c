/* SPDX-License-Identifier: MIT */
#include "calls.h"

#include <string.h>

#include <frazil/extras.h>

static frazil_err sno_compose(struct subject *subject, struct step *step)
{
    frazil_sno_fields fields = {.unix_ms = in_i64(step, "unix_ms"),
                                .ticktock = (uint8_t)in_small(step, "ticktock"),
                                .meta = (uint8_t)in_small(step, "meta"),
                                .partition = (uint16_t)in_small(step, "partition"),
                                .sequence = (uint16_t)in_small(step, "sequence")};
    frazil_sno id;

    (void)subject;
    frazil_err err = frazil_sno_compose(&fields, &id, &step->err);
    if (err == FRAZIL_OK)
        out_sno(step, "sno", &id);
    return err;
}

static frazil_err sno_decompose(struct subject *subject, struct step *step)
{
    frazil_sno id = in_sno(step, "sno");
    frazil_sno_fields fields;

    (void)subject;
    frazil_sno_decompose(&id, &fields);
    out_i64(step, "unix_ms", fields.unix_ms);
    out_small(step, "ticktock", fields.ticktock);
    out_small(step, "meta", fields.meta);
    out_small(step, "partition", fields.partition);
    out_small(step, "sequence", fields.sequence);
    return FRAZIL_OK;
}

static frazil_err sno_encode(struct subject *subject, struct step *step)
{
    frazil_sno id = in_sno(step, "sno");
    char text[FRAZIL_SNO_LEN + 1] = "";

    (void)subject;
    frazil_sno_encode(&id, text);
    out_text(step, "text", text);
    return FRAZIL_OK;
}

static frazil_err sno_decode(struct subject *subject, struct step *step)
{
    const char *text = in_text(step, "text");
    frazil_sno id;

    (void)subject;
    frazil_err err = frazil_sno_decode(text, strlen(text), &id, &step->err);
    if (err == FRAZIL_OK)
        out_sno(step, "sno", &id);
    return err;
}

static frazil_err sno_range(struct subject *subject, struct step *step)
{
    int64_t from = in_i64(step, "from_unix_ms");
    int64_t to = in_i64(step, "to_unix_ms");
    frazil_sno first;
    frazil_sno last;

    (void)subject;
    frazil_err err = frazil_sno_range(from, to, &first, &last, &step->err);
    if (err == FRAZIL_OK) {
        out_sno(step, "first", &first);
        out_sno(step, "last", &last);
    }
    return err;
}

static frazil_err uuid_format(struct subject *subject, struct step *step)
{
    frazil_sno id = in_sno(step, "sno");
    char text[FRAZIL_UUID_LEN + 1];

    (void)subject;
    frazil_err err = frazil_sno_uuid_format(&id, text, sizeof text, NULL);
    if (err == FRAZIL_OK)
        out_text(step, "text", text);
    return err;
}

static frazil_err uuid_parse(struct subject *subject, struct step *step)
{
    const char *text = in_text(step, "text");
    frazil_sno id;

    (void)subject;
    frazil_err err = frazil_sno_uuid_parse(text, strlen(text), &id, &step->err);
    if (err == FRAZIL_OK)
        out_sno(step, "sno", &id);
    return err;
}

static frazil_err uuid_read(struct subject *subject, struct step *step)
{
    uint8_t bytes[BYTES_MOST];
    size_t len = in_bytes(step, "bytes", bytes);
    frazil_sno id;

    (void)subject;
    frazil_err err = frazil_sno_from_uuid(bytes, len, &id, &step->err);
    if (err == FRAZIL_OK)
        out_sno(step, "sno", &id);
    return err;
}

static frazil_err sno_to_json(struct subject *subject, struct step *step)
{
    frazil_sno id = in_sno(step, "sno");
    char text[FRAZIL_SNO_JSON_SIZE];

    (void)subject;
    frazil_err err = frazil_sno_to_json(&id, text, sizeof text, NULL);
    if (err == FRAZIL_OK)
        out_text(step, "text", text);
    return err;
}

static frazil_err sno_from_json(struct subject *subject, struct step *step)
{
    const char *text = in_text(step, "text");
    frazil_sno id;

    (void)subject;
    frazil_err err = frazil_sno_from_json(text, strlen(text), &id, &step->err);
    if (err == FRAZIL_OK)
        out_sno(step, "sno", &id);
    return err;
}

static frazil_err sno_from_column(struct subject *subject, struct step *step)
{
    uint8_t bytes[BYTES_MOST];
    size_t len = in_bytes(step, "bytes", bytes);
    frazil_sno id;

    (void)subject;
    frazil_err err = frazil_sno_from_column(bytes, len, &id, &step->err);
    if (err == FRAZIL_OK)
        out_sno(step, "sno", &id);
    return err;
}

static frazil_err partition_format(struct subject *subject, struct step *step)
{
    char text[FRAZIL_SNO_PARTITION_SIZE];
    uint32_t partition = in_small(step, "partition");

    (void)subject;
    frazil_err err = frazil_sno_partition_format((uint16_t)partition, text, sizeof text, NULL);
    if (err == FRAZIL_OK)
        out_text(step, "text", text);
    return err;
}

static frazil_err partition_parse(struct subject *subject, struct step *step)
{
    const char *text = in_text(step, "text");
    uint16_t partition;

    (void)subject;
    frazil_err err = frazil_sno_partition_parse(text, strlen(text), &partition, &step->err);
    if (err == FRAZIL_OK)
        out_small(step, "partition", partition);
    return err;
}

const struct call calls_of_snos[] = {
    {"sno_compose", NEEDS_NOTHING, sno_compose},
    {"sno_decompose", NEEDS_NOTHING, sno_decompose},
    {"sno_encode", NEEDS_NOTHING, sno_encode},
    {"sno_decode", NEEDS_NOTHING, sno_decode},
    {"sno_range", NEEDS_NOTHING, sno_range},
    {"uuid_format", NEEDS_NOTHING, uuid_format},
    {"uuid_parse", NEEDS_NOTHING, uuid_parse},
    {"uuid_read", NEEDS_NOTHING, uuid_read},
    {"sno_to_json", NEEDS_NOTHING, sno_to_json},
    {"sno_from_json", NEEDS_NOTHING, sno_from_json},
    {"sno_from_column", NEEDS_NOTHING, sno_from_column},
    {"partition_format", NEEDS_NOTHING, partition_format},
    {"partition_parse", NEEDS_NOTHING, partition_parse},
    {NULL, NEEDS_NOTHING, NULL},
};
