/* SPDX-License-Identifier: MIT */
#include "zookeeper_record.h"

#include "core/sentence.h"

void fz_zookeeper_node_path(const char *folder, uint32_t number, uint64_t version, char ret[FZ_ZOOKEEPER_NODE_SIZE])
{
    struct fz_sentence s = fz_sentence_in(ret, FZ_ZOOKEEPER_NODE_SIZE);
    char name[FZ_RECORD_NAME_SIZE];

    fz_record_name_write(number, name);
    fz_sentence_str(&s, folder);
    fz_sentence_char(&s, '/');
    fz_sentence_str(&s, name);
    if (version != 0) {
        fz_sentence_char(&s, '/');
        fz_sentence_u64(&s, version);
    }
}

bool fz_zookeeper_record_read(const char *text, size_t len, struct fz_record *ret)
{
    struct fz_record record;

    if (!fz_record_text_read(text, len, &record) || record.version > FZ_ZOOKEEPER_VERSION_MAX)
        return false;
    *ret = record;
    return true;
}
