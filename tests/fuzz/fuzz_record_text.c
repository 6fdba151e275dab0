/* SPDX-License-Identifier: MIT */
/* Goal of this test: what can be read of a record in a coordinator, and of its name, is exactly what would be written.
 */
#include <string.h>

#include "fuzz.h"
#include "lease/record_text.h"

static void read_record(const char *text, size_t len)
{
    struct fz_record record;
    char own[FZ_RECORD_TEXT_SIZE];

    fuzz_fill(&record, sizeof record);
    if (!fz_record_text_read(text, len, &record)) {
        REQUIRE(fuzz_is_untouched(&record, sizeof record));
        return;
    }
    REQUIRE(record.version >= 1 && record.len <= FZ_RECORD_SIZE_MAX);
    REQUIRE(fz_record_text_write(record.version, record.data, record.len, own) == len);
    REQUIRE(memcmp(own, text, len) == 0);
}

static void read_name(const char *name, size_t len)
{
    char own[FZ_RECORD_NAME_SIZE];
    uint32_t number;

    if (!fz_record_name_read(name, len, &number))
        return;
    fz_record_name_write(number, own);
    REQUIRE(strlen(own) == len && memcmp(own, name, len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_record((const char *)data, size);
    read_name((const char *)data, size);
    return 0;
}
