/* SPDX-License-Identifier: MIT */
#include "etcd_answer.h"

#include <string.h>

#include "base64.h"
#include "core/decimal.h"

bool fz_etcd_number(const json_t *value, uint64_t *ret)
{
    return json_is_string(value) && fz_decimal_parse(json_string_value(value), json_string_length(value), ret);
}

bool fz_etcd_bytes(const json_t *value, char *ret, size_t size, size_t *ret_len)
{
    if (value == NULL) {
        *ret_len = 0;
        return true;
    }
    return json_is_string(value) &&
           fz_base64_decode(json_string_value(value), json_string_length(value), ret, size, ret_len);
}

void fz_etcd_show_id(struct fz_sentence *s, uint64_t id)
{
    int shift = 60;

    while (shift > 0 && id >> shift == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        fz_sentence_char(s, "0123456789abcdef"[id >> shift & 15]);
}
