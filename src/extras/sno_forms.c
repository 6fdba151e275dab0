/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "core/sentence.h"
#include "core/sno_internal.h"
#include "frazil/extras.h"

/* The sno that stands for "none". */
static bool is_zero(const frazil_sno *id)
{
    return memcmp(id->bytes, (frazil_sno){{0}}.bytes, FRAZIL_SNO_SIZE) == 0;
}

/* ---- JSON ---- */

static const char json_null[] = "null";
#define NULL_LEN (sizeof json_null - 1)

frazil_err frazil_sno_to_json(const frazil_sno *id, char *buf, size_t size, size_t *ret_len)
{
    if (is_zero(id)) {
        if (size < sizeof json_null)
            return FRAZIL_EBUFFER;
        memcpy(buf, json_null, sizeof json_null);
        if (ret_len != NULL)
            *ret_len = NULL_LEN;
        return FRAZIL_OK;
    }
    if (size < FRAZIL_SNO_JSON_SIZE)
        return FRAZIL_EBUFFER;
    buf[0] = '"';
    frazil_sno_encode(id, buf + 1);
    buf[1 + FRAZIL_SNO_LEN] = '"';
    buf[2 + FRAZIL_SNO_LEN] = '\0';
    if (ret_len != NULL)
        *ret_len = FRAZIL_SNO_JSON_SIZE - 1;
    return FRAZIL_OK;
}

frazil_err frazil_sno_from_json(const char *text, size_t len, frazil_sno *ret, frazil_error *reterr)
{
    if (len > 0 && text[0] == '"') {
        if (len == 1 || text[len - 1] != '"')
            return fz_fail(reterr, FRAZIL_EPARSE, "sno: the string that begins at position 1 is not closed");
        return fz_sno_decode_at(text + 1, len - 2, 1, ret, reterr);
    }
    for (size_t i = 0; i < NULL_LEN; i++) {
        if (i == len || text[i] != json_null[i])
            return fz_fail_at(reterr, i, FRAZIL_EPARSE,
                              "sno: position %u is neither that of a string of %u characters nor that of null",
                              (uint64_t)i + 1, (uint64_t)FRAZIL_SNO_LEN);
    }
    if (len > NULL_LEN)
        return fz_fail_at(reterr, NULL_LEN, FRAZIL_EPARSE, "sno: expected the end at position %u, after null",
                          (uint64_t)NULL_LEN + 1);
    *ret = (frazil_sno){{0}};
    return FRAZIL_OK;
}

/* ---- columns of databases ---- */

frazil_err frazil_sno_from_column(const void *data, size_t len, frazil_sno *ret, frazil_error *reterr)
{
    switch (len) {
    case 0:
        *ret = (frazil_sno){{0}};
        return FRAZIL_OK;
    case FRAZIL_SNO_SIZE:
        memcpy(ret->bytes, data, FRAZIL_SNO_SIZE);
        return FRAZIL_OK;
    case FRAZIL_SNO_LEN:
        return fz_sno_decode_at(data, len, 0, ret, reterr);
    default:
        return fz_fail(reterr, FRAZIL_EPARSE,
                       "sno: the column holds %u byte%s, which is neither %u bytes, nor %u characters, nor empty",
                       (uint64_t)len, len == 1 ? "" : "s", (uint64_t)FRAZIL_SNO_SIZE, (uint64_t)FRAZIL_SNO_LEN);
    }
}
