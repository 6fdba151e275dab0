/* SPDX-License-Identifier: MIT */
/* Goal of this test: a sno has one text, one JSON value and two forms in a column, and its text sorts like its bytes.
 */
#include <string.h>

#include "frazil/extras.h"
#include "fuzz.h"

static void read_text(const char *text, size_t len)
{
    frazil_error why;
    char own[FRAZIL_SNO_LEN];
    frazil_sno id;
    frazil_sno again;

    fuzz_fill(&id, sizeof id);
    frazil_err err = frazil_sno_decode(text, len, &id, &why);
    if (err != FRAZIL_OK) {
        fuzz_require_error(err, &why);
        REQUIRE(err == FRAZIL_EPARSE && fuzz_is_untouched(&id, sizeof id));
        REQUIRE(len != FRAZIL_SNO_LEN || frazil_sno_decode(text, FRAZIL_SNO_LEN, &again, NULL) == FRAZIL_EPARSE);
        return;
    }
    frazil_sno_encode(&id, own);
    REQUIRE(len == sizeof own && memcmp(own, text, len) == 0);
    REQUIRE(frazil_sno_decode(text, FRAZIL_SNO_LEN, &again, NULL) == FRAZIL_OK &&
            memcmp(id.bytes, again.bytes, FRAZIL_SNO_SIZE) == 0);
}

static void read_json(const char *text, size_t len)
{
    frazil_error why;
    char own[FRAZIL_SNO_JSON_SIZE];
    frazil_sno id;

    fuzz_fill(&id, sizeof id);
    frazil_err err = frazil_sno_from_json(text, len, &id, &why);
    if (err != FRAZIL_OK) {
        fuzz_require_error(err, &why);
        REQUIRE(err == FRAZIL_EPARSE && fuzz_is_untouched(&id, sizeof id));
        return;
    }
    REQUIRE(frazil_sno_to_json(&id, own, sizeof own, NULL) == FRAZIL_OK);
    /* The zero sno can also be spelled out. */
    REQUIRE((strlen(own) == len && memcmp(own, text, len) == 0) ||
            memcmp(id.bytes, (frazil_sno){{0}}.bytes, FRAZIL_SNO_SIZE) == 0);
}

static void read_column(const uint8_t *data, size_t size)
{
    frazil_error why;
    frazil_sno id;

    fuzz_fill(&id, sizeof id);
    frazil_err err = frazil_sno_from_column(data, size, &id, &why);
    if (err != FRAZIL_OK) {
        fuzz_require_error(err, &why);
        REQUIRE(err == FRAZIL_EPARSE && fuzz_is_untouched(&id, sizeof id) && size != FRAZIL_SNO_SIZE);
        return;
    }
    REQUIRE(size == 0 || size == FRAZIL_SNO_SIZE || size == FRAZIL_SNO_LEN);
    REQUIRE(size != FRAZIL_SNO_SIZE || memcmp(id.bytes, data, size) == 0);
}

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

/* Any ten bytes are a sno. */
static void write_two(const uint8_t *data)
{
    char text[2][FRAZIL_SNO_LEN];
    frazil_sno_fields fields;
    frazil_sno ids[2];
    frazil_sno again;

    memcpy(ids, data, sizeof ids);
    for (unsigned i = 0; i < 2; i++) {
        frazil_sno_encode(&ids[i], text[i]);
        REQUIRE(frazil_sno_decode(text[i], FRAZIL_SNO_LEN, &again, NULL) == FRAZIL_OK &&
                memcmp(ids[i].bytes, again.bytes, FRAZIL_SNO_SIZE) == 0);
        frazil_sno_decompose(&ids[i], &fields);
        REQUIRE(frazil_sno_compose(&fields, &again, NULL) == FRAZIL_OK &&
                memcmp(ids[i].bytes, again.bytes, FRAZIL_SNO_SIZE) == 0);
    }
    REQUIRE(sign(memcmp(ids[0].bytes, ids[1].bytes, FRAZIL_SNO_SIZE)) ==
            sign(memcmp(text[0], text[1], FRAZIL_SNO_LEN)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_text((const char *)data, size);
    read_json((const char *)data, size);
    read_column(data, size);
    if (size >= 2 * FRAZIL_SNO_SIZE)
        write_two(data);
    return 0;
}
