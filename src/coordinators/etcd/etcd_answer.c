/* SPDX-License-Identifier: MIT */
#include "etcd_answer.h"

#include <assert.h>
#include <string.h>

#include "base64.h"
#include "core/decimal.h"
#include "lease/record_text.h"

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

json_t *fz_etcd_text(const char *bytes, size_t len)
{
    char encoded[FZ_BASE64_SIZE(FZ_RECORD_TEXT_SIZE)];

    assert(len <= FZ_RECORD_TEXT_SIZE);
    fz_base64_encode(bytes, len, encoded);
    return json_string(encoded);
}

json_t *fz_etcd_key(const char *key)
{
    return json_pack("{s:o}", "key", fz_etcd_text(key, strlen(key)));
}

json_t *fz_etcd_transaction(json_t *condition, const char *key, json_t *value)
{
    return json_pack("{s:o, s:[{s:{s:o, s:o}}], s:[{s:{s:o, s:b}}]}", "compare", condition, "success", "request_put",
                     "key", fz_etcd_text(key, strlen(key)), "value", value, "failure", "request_range", "key",
                     fz_etcd_text(key, strlen(key)), "count_only", 1);
}

void fz_etcd_show_id(struct fz_sentence *s, uint64_t id)
{
    int shift = 60;

    while (shift > 0 && id >> shift == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        fz_sentence_char(s, "0123456789abcdef"[id >> shift & 15]);
}
