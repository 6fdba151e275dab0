/* SPDX-License-Identifier: MIT */
/* Goal of this test: a sno snapshot that can be read is written as one that reads the same. */
#include <string.h>

#include "core/sno_internal.h"
#include "frazil/generator.h"
#include "fuzz.h"

static void require_same(const struct fz_snapshot *a, const struct fz_snapshot *b)
{
    REQUIRE(memcmp(a->partition, b->partition, sizeof a->partition) == 0);
    REQUIRE(a->sequence_min == b->sequence_min && a->sequence_max == b->sequence_max && a->sequence == b->sequence);
    REQUIRE(a->now == b->now && a->wall_hi == b->wall_hi && a->wall_safe == b->wall_safe && a->drifts == b->drifts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    frazil_error why;
    struct fz_snapshot snapshot;
    struct fz_snapshot again;
    char json[FRAZIL_SNO_SNAPSHOT_SIZE];

    fuzz_fill(&snapshot, sizeof snapshot);
    frazil_err err = fz_snapshot_parse((const char *)data, size, &snapshot, &why);
    REQUIRE(fz_snapshot_parse((const char *)data, size, &again, NULL) == err);
    if (err != FRAZIL_OK) {
        fuzz_require_error(err, &why);
        REQUIRE(err == FRAZIL_EPARSE && fuzz_is_untouched(&snapshot, sizeof snapshot));
        return 0;
    }
    require_same(&snapshot, &again);
    REQUIRE(fz_snapshot_format(&snapshot, json, sizeof json, NULL) == FRAZIL_OK);
    REQUIRE(fz_snapshot_parse(json, strlen(json), &again, NULL) == FRAZIL_OK);
    require_same(&snapshot, &again);
    return 0;
}
