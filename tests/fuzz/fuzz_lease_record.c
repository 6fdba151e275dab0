/* SPDX-License-Identifier: MIT */
/* Goal of this test: what can be read of a register's record is exactly what would be written. */
#include <string.h>

#include "fuzz.h"
#include "lease/record.h"

static void require_refused(frazil_err err, const frazil_error *why, const void *record, size_t size)
{
    fuzz_require_error(err, why);
    REQUIRE(err == FRAZIL_EPARSE && fuzz_is_untouched(record, size));
}

static void read_worker(const char *text, size_t len)
{
    struct fz_worker_record record;
    char own[FZ_RECORD_SIZE_MAX];
    frazil_error why;

    fuzz_fill(&record, sizeof record);
    frazil_err err = fz_worker_record_parse(text, len, &record, &why);
    if (err != FRAZIL_OK) {
        require_refused(err, &why, &record, sizeof record);
        return;
    }
    REQUIRE(fz_worker_record_format(&record, own) == len && memcmp(own, text, len) == 0);
}

static void read_namespace(const char *text, size_t len)
{
    struct fz_namespace_record record;
    char own[FZ_RECORD_SIZE_MAX];
    frazil_error why;

    fuzz_fill(&record, sizeof record);
    frazil_err err = fz_namespace_record_parse(text, len, &record, &why);
    if (err != FRAZIL_OK) {
        require_refused(err, &why, &record, sizeof record);
        return;
    }
    REQUIRE(fz_namespace_record_format(&record, own) == len && memcmp(own, text, len) == 0);
}

/* Any text makes an owner, and one that is an owner stays as it is. */
static void sanitise(const char *text, size_t len)
{
    char given[FZ_RECORD_SIZE_MAX];
    char owner[FZ_OWNER_SIZE];
    char again[FZ_OWNER_SIZE];

    len = len < sizeof given - 1 ? len : sizeof given - 1;
    if (len > 0)
        memcpy(given, text, len);
    given[len] = '\0';
    fz_owner_sanitise(given, owner);
    fz_owner_sanitise(owner, again);
    REQUIRE(owner[0] != '\0' && strcmp(owner, again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;

    read_worker(text, size);
    read_namespace(text, size);
    sanitise(text, size);
    return 0;
}
