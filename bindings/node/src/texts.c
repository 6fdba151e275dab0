/* SPDX-License-Identifier: MIT */
/* 64-bit ids as text, shards, hashed worker numbers, the scrambler, and instants as text. */
#include "addon.h"

#include <string.h>

/* A form by its name; FRAZIL_EINVAL where there is none. */
static frazil_text arg_form(struct args *args, size_t i)
{
    frazil_text form = FRAZIL_TEXT_DEC;
    frazil_error why;
    size_t len;
    const char *name = arg_text(args, i, "a text form", &len);

    if (!args->wrong && strlen(name) != len)
        (void)throw_wrong(args, "there is no text form '%.40s': see textForms", name);
    else if (!args->wrong && frazil_text_by_name(name, &form, &why) != FRAZIL_OK)
        (void)throw_error(args, why.code, &why);
    return form;
}

static napi_value format(struct args *args)
{
    char text[FRAZIL_TEXT_SIZE];
    uint64_t id = arg_id(args, 0);
    frazil_text form = arg_form(args, 1);
    size_t len;

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_id_format(form, id, text, sizeof text, &len);
    return err == FRAZIL_OK ? make_text(args, text, len) : throw_error(args, err, NULL);
}

static napi_value parse(struct args *args)
{
    frazil_error why = {.code = 0};
    size_t len;
    const char *text = arg_text(args, 0, "an id", &len);
    frazil_text form = arg_form(args, 1);
    uint64_t id;

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_id_parse(form, text, len, &id, &why);
    return err == FRAZIL_OK ? make_id(args, id) : throw_error(args, err, &why);
}

static napi_value text_forms(struct args *args)
{
    napi_value list = NULL;

    (void)napi_create_array(args->env, &list);
    const char *name;
    for (uint32_t i = 0; (name = frazil_text_name((frazil_text)i)) != NULL; i++)
        (void)napi_set_element(args->env, list, i, make_text(args, name, strlen(name)));
    return list;
}

static napi_value to_bytes(struct args *args)
{
    uint8_t bytes[FRAZIL_BYTES_SIZE];
    uint64_t id = arg_id(args, 0);

    frazil_bytes_write(id, bytes);
    return args->wrong ? NULL : make_bytes(args, bytes, sizeof bytes);
}

static napi_value from_bytes(struct args *args)
{
    frazil_error why = {.code = 0};
    size_t len;
    const uint8_t *bytes = arg_bytes(args, 0, "an id", &len);
    uint64_t id;

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_bytes_read(bytes, len, &id, &why);
    return err == FRAZIL_OK ? make_id(args, id) : throw_error(args, err, &why);
}

static napi_value shard(struct args *args)
{
    uint64_t id = arg_id(args, 0);
    uint32_t shards = arg_u32(args, 1, "shards");
    uint32_t found;

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_shard(id, shards, &found);
    return err == FRAZIL_OK ? make_number(args, found) : throw_error(args, err, NULL);
}

static napi_value hash_worker(struct args *args)
{
    size_t len;
    const char *text = arg_text(args, 0, "what is hashed", &len);
    uint32_t workers = arg_u32(args, 1, "workers");
    uint32_t found;

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_worker_hash(text, len, workers, &found);
    return err == FRAZIL_OK ? make_number(args, found) : throw_error(args, err, NULL);
}

static napi_value collision_ppm(struct args *args)
{
    uint32_t hosts = arg_u32(args, 0, "hosts");
    uint64_t workers = arg_u64(args, 1, "workers");
    uint32_t ppm;

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_worker_collision(hosts, workers, &ppm);
    return err == FRAZIL_OK ? make_number(args, ppm) : throw_error(args, err, NULL);
}

/* ---- the scrambler ----------------------------------------------------------------------- */

static napi_value kasumi(struct args *args)
{
    uint64_t id = arg_id(args, 0);
    uint64_t salt = arg_u64(args, 1, "salt");
    uint64_t found;

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_kasumi(salt, id, &found);
    return err == FRAZIL_OK ? make_id(args, found) : throw_error(args, err, NULL);
}

static napi_value new_salt(struct args *args)
{
    frazil_error why = {.code = 0};
    uint64_t salt;
    frazil_err err = frazil_salt_new(NULL, &salt, &why);

    return err == FRAZIL_OK ? make_number(args, (double)salt) : throw_error(args, err, &why);
}

static napi_value scramble(struct args *args)
{
    char text[FRAZIL_KASUMI_CHECKED_LEN + 1];
    uint64_t id = arg_id(args, 0);
    uint64_t salt = arg_u64(args, 1, "salt");
    size_t len;

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_scramble(salt, arg_bool(args, 2) ? FRAZIL_KASUMI_CHECKED : 0, id, text, sizeof text, &len);
    return err == FRAZIL_OK ? make_text(args, text, len) : throw_error(args, err, NULL);
}

static napi_value unscramble(struct args *args)
{
    frazil_error why = {.code = 0};
    size_t len;
    const char *text = arg_text(args, 0, "a scrambled id", &len);
    uint64_t salt = arg_u64(args, 1, "salt");
    uint64_t id;

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_unscramble(salt, arg_bool(args, 2) ? FRAZIL_KASUMI_CHECKED : 0, text, len, &id, &why);
    return err == FRAZIL_OK ? make_id(args, id) : throw_error(args, err, &why);
}

/* ---- instants ------------------------------------------------------------------------------ */

static napi_value format_time(struct args *args)
{
    char text[FRAZIL_TIME_SIZE];
    int64_t unix_ms = arg_ms(args, 0, "a time");
    size_t len;

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_time_format(unix_ms, text, sizeof text, &len);
    return err == FRAZIL_OK ? make_text(args, text, len) : throw_error(args, err, NULL);
}

static napi_value parse_time(struct args *args)
{
    frazil_error why = {.code = 0};
    int64_t unix_ms;
    size_t len;
    const char *text = arg_text(args, 0, "a time", &len);

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_time_parse(text, len, &unix_ms, &why);
    return err == FRAZIL_OK ? make_ms(args, unix_ms) : throw_error(args, err, &why);
}

static napi_value version(struct args *args)
{
    return make_text(args, frazil_version(), strlen(frazil_version()));
}

const struct native natives_of_texts[] = {
    {"version", version},
    {"format", format},
    {"parse", parse},
    {"textForms", text_forms},
    {"toBytes", to_bytes},
    {"fromBytes", from_bytes},
    {"shard", shard},
    {"hashWorker", hash_worker},
    {"collisionPpm", collision_ppm},
    {"kasumi", kasumi},
    {"newSalt", new_salt},
    {"scramble", scramble},
    {"unscramble", unscramble},
    {"formatTime", format_time},
    {"parseTime", parse_time},
    {NULL, NULL},
};
