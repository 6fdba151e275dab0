/* SPDX-License-Identifier: MIT */
#include "calls.h"

#include <string.h>

#include <frazil/extras.h>

/* Which form a name means; an unknown one is the case's slip, unless the call expects FRAZIL_EINVAL. */
static frazil_err in_form(struct step *step, frazil_text *ret)
{
    return frazil_text_by_name(in_text(step, "form"), ret, NULL);
}

static frazil_err format(struct subject *subject, struct step *step)
{
    char text[FRAZIL_TEXT_SIZE];
    frazil_text form;
    uint64_t id = in_u64(step, "id");

    (void)subject;
    frazil_err err = in_form(step, &form);
    if (err == FRAZIL_OK)
        err = frazil_id_format(form, id, text, sizeof text, NULL);
    if (err == FRAZIL_OK)
        out_text(step, "text", text);
    return err;
}

static frazil_err parse(struct subject *subject, struct step *step)
{
    const char *text = in_text(step, "text");
    frazil_text form;
    uint64_t id;

    (void)subject;
    frazil_err err = in_form(step, &form);
    if (err == FRAZIL_OK)
        err = frazil_id_parse(form, text, strlen(text), &id, &step->err);
    if (err == FRAZIL_OK)
        out_u64(step, "id", id);
    return err;
}

static frazil_err bytes_write(struct subject *subject, struct step *step)
{
    uint8_t bytes[FRAZIL_BYTES_SIZE];

    (void)subject;
    frazil_bytes_write(in_u64(step, "id"), bytes);
    out_bytes(step, "bytes", bytes, sizeof bytes);
    return FRAZIL_OK;
}

static frazil_err bytes_read(struct subject *subject, struct step *step)
{
    uint8_t bytes[BYTES_MOST];
    size_t len = in_bytes(step, "bytes", bytes);
    uint64_t id;

    (void)subject;
    frazil_err err = frazil_bytes_read(bytes, len, &id, &step->err);
    if (err == FRAZIL_OK)
        out_u64(step, "id", id);
    return err;
}

static frazil_err shard(struct subject *subject, struct step *step)
{
    uint64_t id = in_u64(step, "id");
    uint32_t shards = in_small(step, "shards");
    uint32_t found;

    (void)subject;
    frazil_err err = frazil_shard(id, shards, &found);
    if (err == FRAZIL_OK)
        out_small(step, "shard", found);
    return err;
}

static frazil_err worker_hash(struct subject *subject, struct step *step)
{
    const char *text = in_text(step, "text");
    uint32_t workers = in_small(step, "workers");
    uint32_t found;

    (void)subject;
    frazil_err err = frazil_worker_hash(text, strlen(text), workers, &found);
    if (err == FRAZIL_OK)
        out_small(step, "worker", found);
    return err;
}

static frazil_err collision(struct subject *subject, struct step *step)
{
    uint32_t hosts = in_small(step, "hosts");
    uint64_t workers = in_u64(step, "workers");
    uint32_t ppm;

    (void)subject;
    frazil_err err = frazil_worker_collision(hosts, workers, &ppm);
    if (err == FRAZIL_OK)
        out_small(step, "ppm", ppm);
    return err;
}

static frazil_err kasumi(struct subject *subject, struct step *step)
{
    uint64_t salt = in_u64(step, "salt");
    uint64_t id = in_u64(step, "id");
    uint64_t found;

    (void)subject;
    frazil_err err = frazil_kasumi(salt, id, &found);
    if (err == FRAZIL_OK)
        out_u64(step, "scrambled", found);
    return err;
}

static frazil_err scramble(struct subject *subject, struct step *step)
{
    char text[FRAZIL_KASUMI_CHECKED_LEN + 1];
    uint64_t salt = in_u64(step, "salt");
    bool checked = in_bool(step, "checked");
    uint64_t id = in_u64(step, "id");

    (void)subject;
    frazil_err err = frazil_scramble(salt, checked ? FRAZIL_KASUMI_CHECKED : 0, id, text, sizeof text, NULL);
    if (err == FRAZIL_OK)
        out_text(step, "text", text);
    return err;
}

static frazil_err unscramble(struct subject *subject, struct step *step)
{
    uint64_t salt = in_u64(step, "salt");
    bool checked = in_bool(step, "checked");
    const char *text = in_text(step, "text");
    uint64_t id;

    (void)subject;
    frazil_err err = frazil_unscramble(salt, checked ? FRAZIL_KASUMI_CHECKED : 0, text, strlen(text), &id, &step->err);
    if (err == FRAZIL_OK)
        out_u64(step, "id", id);
    return err;
}

static frazil_err time_format(struct subject *subject, struct step *step)
{
    char text[FRAZIL_TIME_SIZE];
    int64_t unix_ms = in_i64(step, "unix_ms");

    (void)subject;
    frazil_err err = frazil_time_format(unix_ms, text, sizeof text, NULL);
    if (err == FRAZIL_OK)
        out_text(step, "text", text);
    return err;
}

static frazil_err time_parse(struct subject *subject, struct step *step)
{
    const char *text = in_text(step, "text");
    int64_t unix_ms;

    (void)subject;
    frazil_err err = frazil_time_parse(text, strlen(text), &unix_ms, &step->err);
    if (err == FRAZIL_OK)
        out_i64(step, "unix_ms", unix_ms);
    return err;
}

const struct call calls_of_texts[] = {
    {"format", NEEDS_NOTHING, format},
    {"parse", NEEDS_NOTHING, parse},
    {"bytes_write", NEEDS_NOTHING, bytes_write},
    {"bytes_read", NEEDS_NOTHING, bytes_read},
    {"shard", NEEDS_NOTHING, shard},
    {"worker_hash", NEEDS_NOTHING, worker_hash},
    {"collision", NEEDS_NOTHING, collision},
    {"kasumi", NEEDS_NOTHING, kasumi},
    {"scramble", NEEDS_NOTHING, scramble},
    {"unscramble", NEEDS_NOTHING, unscramble},
    {"time_format", NEEDS_NOTHING, time_format},
    {"time_parse", NEEDS_NOTHING, time_parse},
    {NULL, NEEDS_NOTHING, NULL},
};
