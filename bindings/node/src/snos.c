/* SPDX-License-Identifier: MIT */
/* Snos: 80-bit ids, 10 bytes or 16 characters. */
#include "addon.h"

#include <string.h>

static napi_value make_sno(struct args *args, const frazil_sno *id)
{
    return make_bytes(args, id->bytes, sizeof id->bytes);
}

static napi_value sno_compose(struct args *args)
{
    frazil_error why = {.code = 0};
    frazil_sno_fields fields = {.unix_ms = arg_ms(args, 0, "unixMs")};
    uint32_t ticktock = arg_u32(args, 1, "ticktock");
    uint32_t meta = arg_u32(args, 2, "meta");
    uint32_t partition = arg_u32(args, 3, "partition");
    uint32_t sequence = arg_u32(args, 4, "sequence");
    frazil_sno id;

    if (args->wrong)
        return NULL;
    if (ticktock > UINT8_MAX || meta > UINT8_MAX || partition > UINT16_MAX || sequence > UINT16_MAX)
        return throw_wrong(args, "meta must be from 0 to 255, partition and sequence from 0 to 65535, ticktock 0 or 1");
    fields.ticktock = (uint8_t)ticktock;
    fields.meta = (uint8_t)meta;
    fields.partition = (uint16_t)partition;
    fields.sequence = (uint16_t)sequence;
    frazil_err err = frazil_sno_compose(&fields, &id, &why);
    return err == FRAZIL_OK ? make_sno(args, &id) : throw_error(args, err, &why);
}

static napi_value sno_decompose(struct args *args)
{
    frazil_sno id = arg_sno(args, 0);
    frazil_sno_fields fields;

    if (args->wrong)
        return NULL;
    frazil_sno_decompose(&id, &fields);
    napi_value object = make_object(args);
    set_member(args, object, "unixMs", make_ms(args, fields.unix_ms));
    set_member(args, object, "ticktock", make_number(args, fields.ticktock));
    set_member(args, object, "meta", make_number(args, fields.meta));
    set_member(args, object, "partition", make_number(args, fields.partition));
    set_member(args, object, "sequence", make_number(args, fields.sequence));
    return object;
}

static napi_value sno_encode(struct args *args)
{
    frazil_sno id = arg_sno(args, 0);
    char text[FRAZIL_SNO_LEN];

    frazil_sno_encode(&id, text);
    return args->wrong ? NULL : make_text(args, text, sizeof text);
}

/* The sno that a text stands for, which sentences call `what`. */
static napi_value read_text(struct args *args, const char *what,
                            frazil_err (*read)(const char *text, size_t len, frazil_sno *ret, frazil_error *reterr))
{
    frazil_error why = {.code = 0};
    size_t len;
    const char *text = arg_text(args, 0, what, &len);
    frazil_sno id;

    if (args->wrong)
        return NULL;
    frazil_err err = read(text, len, &id, &why);
    return err == FRAZIL_OK ? make_sno(args, &id) : throw_error(args, err, &why);
}

/* The sno of bytes, likewise. */
static napi_value read_bytes(struct args *args, const char *what,
                             frazil_err (*read)(const void *bytes, size_t len, frazil_sno *ret, frazil_error *reterr))
{
    frazil_error why = {.code = 0};
    size_t len;
    const uint8_t *bytes = arg_bytes(args, 0, what, &len);
    frazil_sno id;

    if (args->wrong)
        return NULL;
    frazil_err err = read(bytes, len, &id, &why);
    return err == FRAZIL_OK ? make_sno(args, &id) : throw_error(args, err, &why);
}

/* A sno as a text, which may have FRAZIL_UUID_LEN characters. */
static napi_value write_text(struct args *args,
                             frazil_err (*write)(const frazil_sno *id, char *buf, size_t size, size_t *ret_len))
{
    char text[FRAZIL_UUID_LEN + 1];
    frazil_sno id = arg_sno(args, 0);
    size_t len;

    if (args->wrong)
        return NULL;
    frazil_err err = write(&id, text, sizeof text, &len);
    return err == FRAZIL_OK ? make_text(args, text, len) : throw_error(args, err, NULL);
}

static napi_value sno_decode(struct args *args)
{
    return read_text(args, "a sno", frazil_sno_decode);
}

static napi_value sno_range(struct args *args)
{
    frazil_error why = {.code = 0};
    int64_t from = arg_ms(args, 0, "the first time");
    int64_t to = arg_ms(args, 1, "the last time");
    frazil_sno first;
    frazil_sno last;

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_sno_range(from, to, &first, &last, &why);
    if (err != FRAZIL_OK)
        return throw_error(args, err, &why);
    napi_value object = make_object(args);
    set_member(args, object, "first", make_sno(args, &first));
    set_member(args, object, "last", make_sno(args, &last));
    return object;
}

/* ---- UUIDs, JSON, columns ------------------------------------------------------------------- */

static napi_value sno_to_uuid(struct args *args)
{
    return write_text(args, frazil_sno_uuid_format);
}

static napi_value sno_parse_uuid(struct args *args)
{
    return read_text(args, "a UUID", frazil_sno_uuid_parse);
}

static napi_value sno_from_uuid_bytes(struct args *args)
{
    return read_bytes(args, "a UUID", frazil_sno_from_uuid);
}

static napi_value sno_to_json(struct args *args)
{
    return write_text(args, frazil_sno_to_json);
}

static napi_value sno_from_json(struct args *args)
{
    return read_text(args, "JSON", frazil_sno_from_json);
}

static napi_value sno_from_column(struct args *args)
{
    return read_bytes(args, "a column", frazil_sno_from_column);
}

/* ---- partitions ------------------------------------------------------------------------------ */

static napi_value format_partition(struct args *args)
{
    char text[FRAZIL_SNO_PARTITION_SIZE];
    uint32_t partition = arg_u32(args, 0, "a partition");
    size_t len;

    if (args->wrong)
        return NULL;
    if (partition > UINT16_MAX)
        return throw_wrong(args, "a partition is from 0 to 65535");
    frazil_err err = frazil_sno_partition_format((uint16_t)partition, text, sizeof text, &len);
    return err == FRAZIL_OK ? make_text(args, text, len) : throw_error(args, err, NULL);
}

static napi_value parse_partition(struct args *args)
{
    frazil_error why = {.code = 0};
    size_t len;
    const char *text = arg_text(args, 0, "a partition", &len);
    uint16_t partition;

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_sno_partition_parse(text, len, &partition, &why);
    return err == FRAZIL_OK ? make_number(args, partition) : throw_error(args, err, &why);
}

const struct native natives_of_snos[] = {
    {"snoCompose", sno_compose},
    {"snoDecompose", sno_decompose},
    {"snoEncode", sno_encode},
    {"snoDecode", sno_decode},
    {"snoRange", sno_range},
    {"snoToUuid", sno_to_uuid},
    {"snoParseUuid", sno_parse_uuid},
    {"snoFromUuidBytes", sno_from_uuid_bytes},
    {"snoToJson", sno_to_json},
    {"snoFromJson", sno_from_json},
    {"snoFromColumn", sno_from_column},
    {"formatPartition", format_partition},
    {"parsePartition", parse_partition},
    {NULL, NULL},
};
