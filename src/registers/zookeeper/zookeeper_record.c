/* SPDX-License-Identifier: MIT */
#include "zookeeper_record.h"

#include <assert.h>
#include <string.h>

#include "core/decimal.h"
#include "core/sentence.h"

#define NAMESPACE_CHILD "namespace"

void fz_zookeeper_node_path(const char *folder, uint32_t number, uint64_t version, char ret[FZ_ZOOKEEPER_NODE_SIZE])
{
    struct fz_sentence s = fz_sentence_in(ret, FZ_ZOOKEEPER_NODE_SIZE);

    fz_sentence_str(&s, folder);
    fz_sentence_char(&s, '/');
    if (number == FZ_NAMESPACE)
        fz_sentence_str(&s, NAMESPACE_CHILD);
    else
        fz_sentence_u64(&s, number);
    if (version != 0) {
        fz_sentence_char(&s, '/');
        fz_sentence_u64(&s, version);
    }
}

bool fz_zookeeper_node_number(const char *child, uint32_t *ret)
{
    uint64_t number = FZ_NAMESPACE;

    if (strcmp(child, NAMESPACE_CHILD) != 0 &&
        (!fz_decimal_parse(child, strlen(child), &number) || number >= FZ_NAMESPACE))
        return false;
    *ret = (uint32_t)number;
    return true;
}

size_t fz_zookeeper_record_write(uint64_t version, const char *data, size_t len, char ret[FZ_ZOOKEEPER_TEXT_SIZE])
{
    struct fz_sentence s = fz_sentence_in(ret, FZ_ZOOKEEPER_TEXT_SIZE);

    assert(version != 0 && len <= FZ_RECORD_SIZE_MAX);
    fz_sentence_u64(&s, version);
    fz_sentence_char(&s, ' ');
    memcpy(ret + s.len, data, len);
    return s.len + len;
}

bool fz_zookeeper_record_read(const char *text, size_t len, struct fz_record *ret)
{
    const char *space = len == 0 ? NULL : memchr(text, ' ', len);
    uint64_t version;

    if (space == NULL || !fz_decimal_parse(text, (size_t)(space - text), &version) || version == 0 ||
        version > FZ_ZOOKEEPER_VERSION_MAX)
        return false;
    size_t data_len = len - (size_t)(space - text) - 1;
    if (data_len > FZ_RECORD_SIZE_MAX)
        return false;
    ret->version = version;
    ret->len = data_len;
    memcpy(ret->data, space + 1, data_len);
    return true;
}
