/* SPDX-License-Identifier: MIT */
/*
 * The capacity and the life of a layout, and its stable text form.
 */
#include <string.h>

#include "assert.h"
#include "layout_internal.h"
#include "sentence.h"
#include "sized.h"

/* Bits in which every whole number is exact in a double. */
#define DOUBLE_BITS 53

static unsigned total_bits(const frazil_layout *l)
{
    if (l->kind == FRAZIL_LAYOUT_SNO)
        return FZ_LAYOUT_SNO_TOTAL_BITS;
    return fz_layout_time_shift(l) + l->time_bits;
}

void frazil_layout_get_info(const frazil_layout *layout, frazil_layout_info *ret, size_t size)
{
    FZ_ASSERT(frazil_layout_validate(layout, NULL) == FRAZIL_OK);
    bool is_64 = layout->kind == FRAZIL_LAYOUT_64;
    uint64_t last_tick = fz_layout_last_tick(layout);
    frazil_layout_info info = {
        .total_bits = total_bits(layout),
        .workers = fz_layout_max_worker(layout) + 1,
        .ids_per_tick = fz_layout_max_sequence(layout) + 1,
        .first_unix_ms = layout->epoch_unix_ms,
        .last_unix_ms = fz_layout_tick_unix_ms(layout, last_tick),
        .datacenters = UINT64_C(1) << layout->datacenter_bits,
        .workers_in_datacenter = fz_layout_workers_in_datacenter(layout),
    };

    info.ids_per_second = info.ids_per_tick * 1000 / layout->tick_ms;
    info.fits_53_bits = info.total_bits <= DOUBLE_BITS;
    info.reaches_sign_bit = is_64 && info.total_bits == FZ_LAYOUT_TOTAL_BITS_MAX;
    if (is_64)
        info.max_id = fz_layout_compose_unchecked(layout, last_tick, fz_layout_max_worker(layout),
                                                  fz_layout_max_sequence(layout));
    /* Time is the highest field: its upper half has the sign bit set. */
    if (info.reaches_sign_bit)
        info.sign_bit_unix_ms = fz_layout_tick_unix_ms(layout, last_tick / 2 + 1);
    fz_give_sized(ret, size, &info, sizeof info);
}

static void put_worker(struct fz_sentence *out, const frazil_layout *l)
{
    if (l->datacenter_bits > 0) {
        fz_sentence_u64(out, l->datacenter_bits);
        fz_sentence_char(out, '+');
    }
    fz_sentence_u64(out, (uint64_t)l->worker_bits - l->datacenter_bits);
}

/* The fields below time, from high to low.  Letters only where they are needed, so that one layout has one text. */
static void put_low_fields(struct fz_sentence *out, const frazil_layout *l)
{
    /* Without worker bits there is nothing that the sequence could lie above. */
    bool above = l->sequence_above_worker && l->worker_bits > 0;

    if (above) {
        fz_sentence_u64(out, l->sequence_bits);
        fz_sentence_str(out, "s/");
        put_worker(out, l);
        fz_sentence_char(out, 'w');
    } else {
        put_worker(out, l);
        fz_sentence_char(out, '/');
        fz_sentence_u64(out, l->sequence_bits);
    }
}

static void put_times(struct fz_sentence *out, const frazil_layout *l)
{
    fz_sentence_str(out, " epoch=");
    fz_sentence_i64(out, l->epoch_unix_ms);
    fz_sentence_str(out, " tick=");
    fz_sentence_u64(out, l->tick_ms);
    fz_sentence_str(out, "ms");
}

void fz_layout_value(const frazil_layout *layout, char ret[FRAZIL_FINGERPRINT_SIZE])
{
    struct fz_sentence out = fz_sentence_in(ret, FRAZIL_FINGERPRINT_SIZE);
    const frazil_layout unsplit = fz_layout_unsplit(layout);

    if (layout->kind == FRAZIL_LAYOUT_SNO) {
        fz_sentence_str(&out, "sno");
        return;
    }
    put_low_fields(&out, &unsplit);
    put_times(&out, &unsplit);
}

frazil_layout fz_layout_unsplit(const frazil_layout *layout)
{
    frazil_layout unsplit = *layout;

    if (layout->datacenter_bits == 0)
        return unsplit;
    memset(unsplit.name, 0, sizeof unsplit.name);
    memcpy(unsplit.name, "custom", sizeof "custom");
    unsplit.datacenter_bits = 0;
    return unsplit;
}

frazil_err frazil_layout_fingerprint(const frazil_layout *layout, char *buf, size_t size, size_t *ret_len)
{
    char text[FRAZIL_FINGERPRINT_SIZE];
    struct fz_sentence out = fz_sentence_in(text, sizeof text);

    FZ_ASSERT(frazil_layout_validate(layout, NULL) == FRAZIL_OK);
    if (layout->kind == FRAZIL_LAYOUT_SNO) {
        fz_sentence_str(&out, "sno");
    } else {
        fz_sentence_u64(&out, layout->time_bits);
        fz_sentence_char(&out, '/');
        put_low_fields(&out, layout);
        put_times(&out, layout);
    }
    return fz_sentence_give(&out, buf, size, ret_len);
}
