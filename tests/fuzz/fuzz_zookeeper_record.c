/* SPDX-License-Identifier: MIT */
/* Goal of this test: what can be read of a node, and of its name, is exactly what would be written. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "registers/zookeeper/zookeeper_record.h"

static void read_record(const char *text, size_t len)
{
    struct fz_record record;
    char own[FZ_ZOOKEEPER_TEXT_SIZE];

    fuzz_fill(&record, sizeof record);
    if (!fz_zookeeper_record_read(text, len, &record)) {
        REQUIRE(fuzz_is_untouched(&record, sizeof record));
        return;
    }
    REQUIRE(record.version >= 1 && record.version <= FZ_ZOOKEEPER_VERSION_MAX && record.len <= FZ_RECORD_SIZE_MAX);
    REQUIRE(fz_zookeeper_record_write(record.version, record.data, record.len, own) == len);
    REQUIRE(memcmp(own, text, len) == 0);
}

static void read_child(const char *child)
{
    char path[FZ_ZOOKEEPER_NODE_SIZE];
    uint32_t number;

    if (!fz_zookeeper_node_number(child, &number))
        return;
    fz_zookeeper_node_path("/f", number, 0, path);
    REQUIRE(strncmp(path, "/f/", 3) == 0 && strcmp(path + 3, child) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *child = fuzz_string(data, size);

    read_record((const char *)data, size);
    read_child(child);
    free(child);
    return 0;
}
