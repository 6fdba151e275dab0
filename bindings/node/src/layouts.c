/* SPDX-License-Identifier: MIT */
/* Layouts, and the arithmetic on ids.  JavaScript keeps a layout as its bytes, which no user of the package sees. */
#include "addon.h"

#include <string.h>

static frazil_layout arg_layout(struct args *args, size_t i)
{
    frazil_layout layout = {.name = ""};
    size_t len;
    const uint8_t *bytes = arg_bytes(args, i, "a layout", &len);

    if (!args->wrong && len != sizeof layout)
        (void)throw_wrong(args, "this is not a layout");
    if (!args->wrong)
        memcpy(&layout, bytes, sizeof layout);
    return layout;
}

static napi_value parse_layout(struct args *args)
{
    frazil_error why = {.code = 0};
    frazil_layout layout;
    size_t len;
    const char *text = arg_text(args, 0, "a layout", &len);

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_layout_parse(text, len, &layout, &why);
    return err == FRAZIL_OK ? make_bytes(args, &layout, sizeof layout) : throw_error(args, err, &why);
}

static napi_value fingerprint(struct args *args)
{
    frazil_layout layout = arg_layout(args, 0);
    char text[FRAZIL_FINGERPRINT_SIZE];
    size_t len;

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_layout_fingerprint(&layout, text, sizeof text, &len);
    return err == FRAZIL_OK ? make_text(args, text, len) : throw_error(args, err, NULL);
}

static napi_value describe(struct args *args)
{
    frazil_layout layout = arg_layout(args, 0);
    frazil_layout_info info;

    if (args->wrong)
        return NULL;
    frazil_layout_get_info(&layout, &info, sizeof info);
    napi_value object = make_object(args);
    set_member(args, object, "name", make_text(args, layout.name, strlen(layout.name)));
    set_member(args, object, "kind",
               layout.kind == FRAZIL_LAYOUT_SNO ? make_text(args, "sno", 3) : make_text(args, "64", 2));
    set_member(args, object, "tickMs", make_number(args, layout.tick_ms));
    set_member(args, object, "timeBits", make_number(args, layout.time_bits));
    set_member(args, object, "workerBits", make_number(args, layout.worker_bits));
    set_member(args, object, "datacenterBits", make_number(args, layout.datacenter_bits));
    set_member(args, object, "sequenceBits", make_number(args, layout.sequence_bits));
    set_member(args, object, "totalBits", make_number(args, info.total_bits));
    set_member(args, object, "workers", make_id(args, info.workers));
    set_member(args, object, "idsPerTick", make_id(args, info.ids_per_tick));
    set_member(args, object, "idsPerSecond", make_id(args, info.ids_per_second));
    set_member(args, object, "firstUnixMs", make_ms(args, info.first_unix_ms));
    set_member(args, object, "lastUnixMs", make_ms(args, info.last_unix_ms));
    set_member(args, object, "maxId", make_id(args, info.max_id));
    set_member(args, object, "reachesSignBit", make_bool(args, info.reaches_sign_bit != 0));
    set_member(args, object, "signBitUnixMs", make_ms(args, info.sign_bit_unix_ms));
    set_member(args, object, "fits53Bits", make_bool(args, info.fits_53_bits != 0));
    return object;
}

static napi_value compose(struct args *args)
{
    frazil_error why = {.code = 0};
    frazil_layout layout = arg_layout(args, 0);
    frazil_fields fields = {.unix_ms = arg_ms(args, 1, "unixMs"),
                            .worker = arg_u32(args, 2, "worker"),
                            .sequence = arg_u32(args, 3, "sequence")};
    uint64_t id;

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_id_compose(&layout, &fields, &id, &why);
    return err == FRAZIL_OK ? make_id(args, id) : throw_error(args, err, &why);
}

static napi_value decompose(struct args *args)
{
    frazil_error why = {.code = 0};
    frazil_layout layout = arg_layout(args, 0);
    uint64_t id = layout.kind == FRAZIL_LAYOUT_SNO ? 0 : arg_id(args, 1); /* of a sno the library says what it is */
    frazil_fields fields;

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_id_decompose(&layout, id, &fields, &why);
    if (err != FRAZIL_OK)
        return throw_error(args, err, &why);
    napi_value object = make_object(args);
    set_member(args, object, "unixMs", make_ms(args, fields.unix_ms));
    set_member(args, object, "worker", make_number(args, fields.worker));
    set_member(args, object, "sequence", make_number(args, fields.sequence));
    set_member(args, object, "datacenter", make_number(args, fields.datacenter));
    set_member(args, object, "workerInDatacenter", make_number(args, fields.worker_in_datacenter));
    return object;
}

static napi_value worker_of(struct args *args)
{
    frazil_layout layout = arg_layout(args, 0);
    uint32_t datacenter = arg_u32(args, 1, "datacenter");
    uint32_t worker = arg_u32(args, 2, "worker");
    frazil_layout_info info;

    if (args->wrong)
        return NULL;
    frazil_layout_get_info(&layout, &info, sizeof info);
    if (datacenter >= info.datacenters)
        return throw_range(args, "datacenter %.0f does not fit the layout %s: must be from 0 to %.0f",
                           (double)datacenter, layout.name, (double)info.datacenters - 1);
    if (worker >= info.workers_in_datacenter)
        return throw_range(args, "worker %.0f does not fit the layout %s: must be from 0 to %.0f", (double)worker,
                           layout.name, (double)info.workers_in_datacenter - 1);
    return make_number(args, (double)(datacenter * info.workers_in_datacenter + worker));
}

static napi_value range(struct args *args)
{
    frazil_error why = {.code = 0};
    frazil_layout layout = arg_layout(args, 0);
    int64_t from = arg_ms(args, 1, "the first time");
    int64_t to = arg_ms(args, 2, "the last time");
    uint64_t first;
    uint64_t last;

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_id_range(&layout, from, to, &first, &last, &why);
    if (err != FRAZIL_OK)
        return throw_error(args, err, &why);
    napi_value object = make_object(args);
    set_member(args, object, "first", make_id(args, first));
    set_member(args, object, "last", make_id(args, last));
    return object;
}

static napi_value first_id(struct args *args)
{
    frazil_layout layout = arg_layout(args, 0);
    int64_t unix_ms = arg_ms(args, 1, "a time");

    return args->wrong ? NULL : make_id(args, frazil_id_first(&layout, unix_ms));
}

static napi_value equal(struct args *args)
{
    frazil_layout a = arg_layout(args, 0);
    frazil_layout b = arg_layout(args, 1);

    return args->wrong ? NULL : make_bool(args, frazil_layout_equal(&a, &b));
}

static napi_value overlap(struct args *args)
{
    frazil_error why = {.code = 0};
    frazil_layout before = arg_layout(args, 0);
    frazil_layout after = arg_layout(args, 1);
    int64_t since = arg_ms(args, 2, "the time of the change");
    frazil_overlap found;

    if (args->wrong)
        return NULL;
    frazil_err err = frazil_layout_overlap(&before, &after, since, &found, sizeof found, &why);
    if (err != FRAZIL_OK)
        return throw_error(args, err, &why);
    napi_value object = make_object(args);
    set_member(args, object, "canCollide", make_bool(args, found.can_collide != 0));
    set_member(args, object, "canMissort", make_bool(args, found.can_missort != 0));
    set_member(args, object, "oldLast", make_id(args, found.old_last));
    set_member(args, object, "newFirst", make_id(args, found.new_first));
    set_member(args, object, "everSafe", make_bool(args, found.ever_safe != 0));
    set_member(args, object, "safeUnixMs", make_ms(args, found.safe_unix_ms));
    return object;
}

const struct native natives_of_layouts[] = {
    {"parseLayout", parse_layout},
    {"fingerprint", fingerprint},
    {"describe", describe},
    {"compose", compose},
    {"decompose", decompose},
    {"workerOf", worker_of},
    {"range", range},
    {"firstId", first_id},
    {"equal", equal},
    {"overlap", overlap},
    {NULL, NULL},
};
