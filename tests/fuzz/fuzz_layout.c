/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a layout that can be read is valid, its fingerprint reads as the same layout and has itself for
 * its fingerprint, and its first and its last id can be made and taken apart.
 */
#include <stdlib.h>
#include <string.h>

#include "frazil/layout.h"
#include "fuzz.h"

static void require_same(const frazil_layout *a, const frazil_layout *b)
{
    REQUIRE(a->kind == b->kind && a->epoch_unix_ms == b->epoch_unix_ms && a->tick_ms == b->tick_ms);
    REQUIRE(a->time_bits == b->time_bits && a->worker_bits == b->worker_bits && a->sequence_bits == b->sequence_bits);
    REQUIRE(a->datacenter_bits == b->datacenter_bits);
    /* A worker without bits lies nowhere. */
    REQUIRE(a->worker_bits == 0 || a->sequence_above_worker == b->sequence_above_worker);
}

static void check_fingerprint(const frazil_layout *layout)
{
    char fingerprint[FRAZIL_FINGERPRINT_SIZE];
    char again[FRAZIL_FINGERPRINT_SIZE];
    frazil_layout read;

    REQUIRE(frazil_layout_fingerprint(layout, fingerprint, sizeof fingerprint, NULL) == FRAZIL_OK);
    REQUIRE(frazil_layout_parse(fingerprint, strlen(fingerprint), &read, NULL) == FRAZIL_OK);
    require_same(layout, &read);
    REQUIRE(frazil_layout_fingerprint(&read, again, sizeof again, NULL) == FRAZIL_OK &&
            strcmp(fingerprint, again) == 0);
}

static void check_ids(const frazil_layout *layout)
{
    frazil_layout_info info;
    frazil_fields fields;
    uint64_t id;

    frazil_layout_get_info(layout, &info, sizeof info);
    REQUIRE(info.last_unix_ms >= info.first_unix_ms && info.ids_per_tick >= 1 && info.workers >= 1);
    if (layout->kind == FRAZIL_LAYOUT_SNO)
        return;
    REQUIRE(frazil_id_decompose(layout, info.max_id, &fields, NULL) == FRAZIL_OK &&
            fields.unix_ms == info.last_unix_ms);
    REQUIRE(frazil_id_compose(layout, &fields, &id, NULL) == FRAZIL_OK && id == info.max_id);
    REQUIRE(frazil_id_decompose(layout, 0, &fields, NULL) == FRAZIL_OK && fields.unix_ms == info.first_unix_ms);
    REQUIRE(info.max_id == UINT64_MAX || frazil_id_decompose(layout, info.max_id + 1, &fields, NULL) == FRAZIL_ERANGE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size);
    frazil_error why;
    frazil_layout layout;

    fuzz_fill(&layout, sizeof layout);
    frazil_err err = frazil_layout_parse(text, strlen(text), &layout, &why);
    if (err == FRAZIL_OK) {
        REQUIRE(frazil_layout_validate(&layout, NULL) == FRAZIL_OK);
        check_fingerprint(&layout);
        check_ids(&layout);
    } else {
        fuzz_require_error(err, &why);
        REQUIRE(err == FRAZIL_ELAYOUT && fuzz_is_untouched(&layout, sizeof layout));
    }
    free(text);
    return 0;
}
