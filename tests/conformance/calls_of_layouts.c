/* SPDX-License-Identifier: MIT */
#include "calls.h"

#include <string.h>

static frazil_err compose(struct subject *subject, struct step *step)
{
    frazil_fields fields = {
        .unix_ms = in_i64(step, "unix_ms"), .worker = in_small(step, "worker"), .sequence = in_small(step, "sequence")};
    uint64_t id;
    frazil_err err = frazil_id_compose(&subject->layout, &fields, &id, &step->err);

    if (err == FRAZIL_OK)
        out_u64(step, "id", id);
    return err;
}

static frazil_err decompose(struct subject *subject, struct step *step)
{
    uint64_t id = in_u64(step, "id");
    frazil_fields fields;
    frazil_err err = frazil_id_decompose(&subject->layout, id, &fields, &step->err);

    if (err == FRAZIL_OK) {
        out_i64(step, "unix_ms", fields.unix_ms);
        out_small(step, "worker", fields.worker);
        out_small(step, "sequence", fields.sequence);
        out_small(step, "datacenter", fields.datacenter);
        out_small(step, "worker_in_datacenter", fields.worker_in_datacenter);
    }
    return err;
}

static frazil_err range(struct subject *subject, struct step *step)
{
    int64_t from = in_i64(step, "from_unix_ms");
    int64_t to = in_i64(step, "to_unix_ms");
    uint64_t first;
    uint64_t last;
    frazil_err err = frazil_id_range(&subject->layout, from, to, &first, &last, &step->err);

    if (err == FRAZIL_OK) {
        out_u64(step, "first", first);
        out_u64(step, "last", last);
    }
    return err;
}

static frazil_err describe(struct subject *subject, struct step *step)
{
    frazil_layout_info found;

    frazil_layout_get_info(&subject->layout, &found, sizeof found);
    out_small(step, "total_bits", found.total_bits);
    out_u64(step, "workers", found.workers);
    out_u64(step, "ids_per_tick", found.ids_per_tick);
    out_u64(step, "ids_per_second", found.ids_per_second);
    out_i64(step, "first_unix_ms", found.first_unix_ms);
    out_i64(step, "last_unix_ms", found.last_unix_ms);
    out_u64(step, "max_id", found.max_id);
    out_bool(step, "reaches_sign_bit", found.reaches_sign_bit);
    out_i64(step, "sign_bit_unix_ms", found.sign_bit_unix_ms);
    out_bool(step, "fits_53_bits", found.fits_53_bits);
    return FRAZIL_OK;
}

static frazil_err fingerprint(struct subject *subject, struct step *step)
{
    char text[FRAZIL_FINGERPRINT_SIZE];
    size_t len;
    frazil_err err = frazil_layout_fingerprint(&subject->layout, text, sizeof text, &len);

    if (err == FRAZIL_OK)
        out_text(step, "text", text);
    return err;
}

static frazil_err overlap(struct subject *subject, struct step *step)
{
    const char *text = in_text(step, "after");
    int64_t since = in_i64(step, "since_unix_ms");
    frazil_layout after;
    frazil_overlap found;
    frazil_err err = frazil_layout_parse(text, strlen(text), &after, &step->err);

    if (err == FRAZIL_OK)
        err = frazil_layout_overlap(&subject->layout, &after, since, &found, sizeof found, &step->err);
    if (err == FRAZIL_OK) {
        out_bool(step, "can_collide", found.can_collide);
        out_bool(step, "can_missort", found.can_missort);
        out_u64(step, "old_last", found.old_last);
        out_u64(step, "new_first", found.new_first);
        out_bool(step, "ever_safe", found.ever_safe);
        out_i64(step, "safe_unix_ms", found.safe_unix_ms);
    }
    return err;
}

const struct call calls_of_layouts[] = {
    {"compose", NEEDS_LAYOUT, compose},
    {"decompose", NEEDS_LAYOUT, decompose},
    {"range", NEEDS_LAYOUT, range},
    {"describe", NEEDS_LAYOUT, describe},
    {"fingerprint", NEEDS_LAYOUT, fingerprint},
    {"overlap", NEEDS_LAYOUT, overlap},
    {NULL, NEEDS_NOTHING, NULL},
};
