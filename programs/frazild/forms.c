/* SPDX-License-Identifier: MIT */
#include "forms.h"

#include <endian.h>
#include <string.h>

#include <frazil/extras.h>

int form_default(const struct engine *engine)
{
    return engine->is_sno ? FORM_SNO : FRAZIL_TEXT_DEC;
}

bool form_by_name(const struct engine *engine, struct slice name, int *ret)
{
    frazil_text form;
    char small[16];

    if (name.len >= sizeof small || (name.len > 0 && memchr(name.at, '\0', name.len) != NULL))
        return false;
    slice_lower(name, small);
    small[name.len] = '\0';
    if (engine->is_sno && strcmp(small, "sno") == 0)
        return *ret = FORM_SNO, true;
    if (engine->is_sno && strcmp(small, "uuid") == 0)
        return *ret = FORM_UUID, true;
    if (frazil_text_by_name(small, &form, NULL) != FRAZIL_OK || (engine->is_sno && form != FRAZIL_TEXT_HEX))
        return false;
    *ret = (int)form;
    return true;
}

const char *form_names(const struct engine *engine)
{
#define FORM_NAME(identifier, number, name, room) " " name
    return engine->is_sno ? "one of sno uuid hex" : "one of" FRAZIL_TEXTS(FORM_NAME);
#undef FORM_NAME
}

static size_t sno_hex(const frazil_sno *sno, char *out)
{
    for (size_t i = 0; i < FRAZIL_SNO_SIZE; i++) {
        out[2 * i] = "0123456789abcdef"[sno->bytes[i] >> 4];
        out[2 * i + 1] = "0123456789abcdef"[sno->bytes[i] & 15];
    }
    return 2 * FRAZIL_SNO_SIZE;
}

size_t form_text(const struct engine *engine, int form, const void *id, char *out, size_t size)
{
    size_t len = 0;

    if (!engine->is_sno) {
        if (form == FRAZIL_TEXT_DEC)
            return bytes_digits(out, *(const uint64_t *)id);
        return frazil_id_format((frazil_text)form, *(const uint64_t *)id, out, size, &len) == FRAZIL_OK ? len : 0;
    }
    if (form == FORM_UUID)
        return frazil_sno_uuid_format(id, out, size, &len) == FRAZIL_OK ? len : 0;
    if (form == FRAZIL_TEXT_HEX)
        return sno_hex(id, out);
    frazil_sno_encode(id, out);
    return form == FORM_SNO ? FRAZIL_SNO_LEN : 0;
}

void form_bytes(const struct engine *engine, const void *ids, size_t n, struct bytes *out)
{
    const uint64_t *from = ids;

    if (engine->is_sno) {
        bytes_add(out, ids, n * FRAZIL_SNO_SIZE);
        return;
    }
    char *room = bytes_room(out, n * sizeof *from);
    if (room == NULL)
        return;
    for (size_t i = 0; i < n; i++) {
        uint64_t big =
            htobe64(from[i]); /* as frazil_bytes_write: a call for each would take longer than all the rest */
        memcpy(room + i * sizeof big, &big, sizeof big);
    }
    out->len += n * sizeof *from;
}
