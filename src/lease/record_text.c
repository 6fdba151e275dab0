/* SPDX-License-Identifier: MIT */
#include "record_text.h"

#include <assert.h>
#include <string.h>

#include "core/sentence.h"

#define NAMESPACE_NAME "namespace"

void fz_record_name_write(uint32_t number, char ret[FZ_RECORD_NAME_SIZE])
{
    struct fz_sentence s = fz_sentence_in(ret, FZ_RECORD_NAME_SIZE);

    if (number == FZ_NAMESPACE)
        fz_sentence_str(&s, NAMESPACE_NAME);
    else
        fz_sentence_u64(&s, number);
}

bool fz_record_name_read(const char *name, size_t len, uint32_t *ret)
{
    uint64_t number = FZ_NAMESPACE;
    bool is_namespace = len == strlen(NAMESPACE_NAME) && memcmp(name, NAMESPACE_NAME, len) == 0;

    /* Other keys below the same prefix are not ours, and stay untouched. */
    if (!is_namespace && (!fz_decimal_parse(name, len, &number) || number >= FZ_NAMESPACE))
        return false;
    *ret = (uint32_t)number;
    return true;
}

size_t fz_record_text_write(uint64_t version, const char *data, size_t len, char ret[FZ_RECORD_TEXT_SIZE])
{
    assert(version != 0 && len <= FZ_RECORD_SIZE_MAX);
    /* For registers that have no versions of their own: the version stands in the text, before the record. */
    size_t at = fz_decimal_format(version, ret);
    ret[at++] = ' ';
    if (len > 0)
        memcpy(ret + at, data, len);
    return at + len;
}

bool fz_record_text_read(const char *text, size_t len, struct fz_record *ret)
{
    const char *space = len == 0 ? NULL : memchr(text, ' ', len);
    uint64_t version;

    /* Version 0 means "no record", so none can bear it. */
    if (space == NULL || !fz_decimal_parse(text, (size_t)(space - text), &version) || version == 0)
        return false;
    size_t data_len = len - (size_t)(space - text) - 1;
    /* Written by something else; a cut record would be taken for a damaged one of ours. */
    if (data_len > FZ_RECORD_SIZE_MAX)
        return false;
    ret->version = version;
    ret->len = data_len;
    memcpy(ret->data, space + 1, data_len);
    return true;
}
