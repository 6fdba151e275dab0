/* SPDX-License-Identifier: MIT */
/* Goal of this test: an instant that can be read is written as one that reads the same; what is written is read. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "frazil/time.h"
#include "fuzz.h"

static const int64_t year_0_ms = INT64_C(-62167219200000);
static const int64_t year_10000_ms = INT64_C(253402300800000);

/* Two forms come back as they were: a whole number, and a time with milliseconds and Z. */
static void require_own_text(const char *text, size_t len, int64_t unix_ms)
{
    char own[FRAZIL_TIME_SIZE];

    if (memchr(text + 1, '-', len - 1) == NULL) {
        int own_len = snprintf(own, sizeof own, "%" PRId64, unix_ms);
        REQUIRE(len == (size_t)own_len && memcmp(text, own, len) == 0);
    } else if (len == strlen("2026-01-01T00:00:00.000Z") && text[len - 1] == 'Z') {
        REQUIRE(frazil_time_format(unix_ms, own, sizeof own, NULL) == FRAZIL_OK);
        REQUIRE(strlen(own) == len && memcmp(text, own, len) == 0);
    }
}

static void write_one(int64_t unix_ms)
{
    char text[FRAZIL_TIME_SIZE];
    int64_t again;

    fuzz_fill(text, sizeof text);
    frazil_err err = frazil_time_format(unix_ms, text, sizeof text, NULL);
    REQUIRE(err == (unix_ms < year_0_ms ? FRAZIL_ERANGE : FRAZIL_OK));
    if (err != FRAZIL_OK)
        REQUIRE(fuzz_is_untouched(text, sizeof text));
    else if (unix_ms < year_10000_ms)
        REQUIRE(frazil_time_parse(text, strlen(text), &again, NULL) == FRAZIL_OK && again == unix_ms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    frazil_error why;
    int64_t unix_ms;

    fuzz_fill(&unix_ms, sizeof unix_ms);
    frazil_err err = frazil_time_parse(text, size, &unix_ms, &why);
    if (err == FRAZIL_OK) {
        require_own_text(text, size, unix_ms);
        write_one(unix_ms);
    } else {
        fuzz_require_error(err, &why);
        REQUIRE(err == FRAZIL_EPARSE && fuzz_is_untouched(&unix_ms, sizeof unix_ms));
    }
    if (size >= sizeof unix_ms) {
        memcpy(&unix_ms, data, sizeof unix_ms);
        write_one(unix_ms);
    }
    return 0;
}
