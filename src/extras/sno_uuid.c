/* SPDX-License-Identifier: MIT */
/*
 * Snos as UUIDs of version 8 (RFC 9562), whose bits beside version and variant are ours to fill from the highest on:
 *
 *   bits 127..80  the sno's highest 48 bits     (custom_a)
 *        79..76   version: 8
 *        75..64   the sno's next 12 bits        (custom_b)
 *        63..62   variant: binary 10
 *        61..42   the sno's lowest 20 bits      (custom_c, its highest 20)
 *        41..0    zero
 *
 * The fixed bits are the same in each, so UUIDs sort as the snos do.
 */
#include <string.h>

#include "core/alphabets.h"
#include "core/sentence.h"
#include "core/word.h"
#include "frazil/extras.h"

enum { GROUPS = 5, SPARE_BITS = 42 };

static const uint64_t uuid_version = UINT64_C(8) << 12;
static const uint64_t version_mask = UINT64_C(15) << 12;
static const uint64_t variant = UINT64_C(2) << 62;
static const uint64_t variant_mask = UINT64_C(3) << 62;
static const uint64_t spare_mask = (UINT64_C(1) << SPARE_BITS) - 1;

/* ---- bytes ---------------------------------------------------------------- */

void frazil_sno_to_uuid(const frazil_sno *id, uint8_t ret_uuid[FRAZIL_UUID_SIZE])
{
    uint64_t high = fz_load_be64(id->bytes);
    uint64_t low = fz_load_be16(id->bytes + 8);

    /* Of the 80 bits, high has 64: 48, 12 and the first 4 of the last 20. */
    fz_store_be64(ret_uuid, (high & ~UINT64_C(0xffff)) | uuid_version | (high >> 4 & 0xfff));
    fz_store_be64(ret_uuid + 8, variant | ((high & 0xf) << 16 | low) << SPARE_BITS);
}

frazil_err frazil_sno_from_uuid(const void *bytes, size_t len, frazil_sno *ret, frazil_error *reterr)
{
    if (len != FRAZIL_UUID_SIZE)
        return fz_fail(reterr, FRAZIL_EPARSE, "a UUID has %u bytes, not %u", (uint64_t)FRAZIL_UUID_SIZE, (uint64_t)len);
    uint64_t high = fz_load_be64(bytes);
    uint64_t low = fz_load_be64((const uint8_t *)bytes + 8);
    if ((high & version_mask) != uuid_version)
        return fz_fail(reterr, FRAZIL_EPARSE, "the UUID is of version %u; a sno's is of version 8",
                       (high & version_mask) >> 12);
    if ((low & variant_mask) != variant)
        return fz_fail(reterr, FRAZIL_EPARSE, "the UUID is of variant %u; a sno's is of variant 2", low >> 62);
    if ((low & spare_mask) != 0)
        return fz_fail(reterr, FRAZIL_EPARSE, "the UUID is not a sno's: its lowest %u bits are not zero",
                       (uint64_t)SPARE_BITS);
    uint64_t tail = (low & ~variant_mask) >> SPARE_BITS;
    fz_store_be64(ret->bytes, (high & ~UINT64_C(0xffff)) | (high & 0xfff) << 4 | tail >> 16);
    fz_store_be16(ret->bytes + 8, (uint16_t)(tail & 0xffff));
    return FRAZIL_OK;
}

/* ---- text ----------------------------------------------------------------- */

/* Bytes in each of the groups that dashes separate. */
static const uint8_t group_bytes[GROUPS] = {4, 2, 2, 2, 6};

frazil_err frazil_sno_uuid_format(const frazil_sno *id, char *buf, size_t size, size_t *ret_len)
{
    uint8_t uuid[FRAZIL_UUID_SIZE];
    const uint8_t *byte = uuid;

    if (size <= FRAZIL_UUID_LEN)
        return FRAZIL_EBUFFER;
    frazil_sno_to_uuid(id, uuid);
    for (unsigned group = 0; group < GROUPS; group++) {
        if (group > 0)
            *buf++ = '-';
        for (unsigned i = 0; i < group_bytes[group]; i++, buf += 2)
            fz_digits_put(buf, 2, *byte++, &fz_base36, 16);
    }
    *buf = '\0';
    if (ret_len != NULL)
        *ret_len = FRAZIL_UUID_LEN;
    return FRAZIL_OK;
}

static bool is_dash_place(size_t index)
{
    return index == 8 || index == 13 || index == 18 || index == 23;
}

/* Whether the text has a UUID's length, dashes and digits. */
static frazil_err check_uuid_text(const char *text, size_t len, frazil_error *reterr)
{
    for (size_t i = 0; i < len && i < FRAZIL_UUID_LEN; i++) {
        if (is_dash_place(i) && text[i] != '-')
            return fz_fail_at(reterr, i, FRAZIL_EPARSE, "uuid: expected '-' at position %u, not %Q", (uint64_t)i + 1,
                              text + i, (size_t)1);
        unsigned digit = fz_alphabet_value(&fz_hex, text[i]) - 1;
        if (!is_dash_place(i) && digit >= 16)
            return fz_fail_at(reterr, i, FRAZIL_EPARSE, "uuid: %Q at position %u is not one of the digits 0-9a-fA-F",
                              text + i, (size_t)1, (uint64_t)i + 1);
    }
    if (len != FRAZIL_UUID_LEN)
        return fz_fail_length(reterr, "uuid", 0, len, FRAZIL_UUID_LEN, FRAZIL_UUID_LEN);
    return FRAZIL_OK;
}

frazil_err frazil_sno_uuid_parse(const char *text, size_t len, frazil_sno *ret, frazil_error *reterr)
{
    uint8_t uuid[FRAZIL_UUID_SIZE] = {0};
    size_t digits = 0;

    frazil_err err = check_uuid_text(text, len, reterr);
    if (err != FRAZIL_OK)
        return err;
    for (size_t i = 0; i < FRAZIL_UUID_LEN; i++) {
        if (is_dash_place(i))
            continue;
        unsigned digit = fz_alphabet_value(&fz_hex, text[i]) - 1;
        uuid[digits / 2] = (uint8_t)((unsigned)uuid[digits / 2] << 4 | digit);
        digits++;
    }
    return frazil_sno_from_uuid(uuid, sizeof uuid, ret, reterr);
}
