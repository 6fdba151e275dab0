/* SPDX-License-Identifier: MIT */
/* Goal of this test: the findings of frazil doctor have ids of their own, and docs/doctor.md has exactly these. */
#include "admin/doctor_judge.h"
#include "lib/test.h"

TEST("No id is there twice, but for the coordinators' own; a level belongs to an id")
{
    for (int i = 0; i < FZ_FINDINGS_TOTAL; i++) {
        const char *id = fz_finding_id((enum fz_finding)i);
        assert_non_null(strchr(id, '.'));
        for (int j = 0; j < i; j++) {
            if (strcmp(id, fz_finding_id((enum fz_finding)j)) == 0)
                assert_string_equal(id, "coordinator.TOPIC");
        }
    }
}

TEST("docs/doctor.md has a row for each finding, with its level, in the same order, and no other")
{
    static const char *const names[] = {"OK", "WARN", "FAIL"};
    FILE *manual = fopen(TEST_VECTORS_DIR "/../../docs/doctor.md", "r");
    char line[4096];
    int next = 0;

    assert_non_null(manual);
    while (fgets(line, sizeof line, manual) != NULL) {
        char row[128];
        if (strncmp(line, "| `", 3) != 0)
            continue;
        assert_true(next < FZ_FINDINGS_TOTAL);
        snprintf(row, sizeof row, "| `%s` | %s | ", fz_finding_id((enum fz_finding)next),
                 names[fz_finding_health((enum fz_finding)next)]);
        if (strncmp(line, row, strlen(row)) != 0)
            fail_msg("expected a row %s, found %s", row, line);
        next++;
    }
    fclose(manual);
    assert_int_equal(next, FZ_FINDINGS_TOTAL);
}
