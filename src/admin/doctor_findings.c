/* SPDX-License-Identifier: MIT */
#include "doctor_findings.h"

static const struct {
    enum fz_health health;
    const char *id;
} table[] = {
#define FINDING_ROW(identifier, health, id) {FZ_HEALTH_##health, id},
    FZ_FINDINGS(FINDING_ROW)
#undef FINDING_ROW
};

enum fz_health fz_finding_health(enum fz_finding finding)
{
    return table[finding].health;
}

const char *fz_finding_id(enum fz_finding finding)
{
    return table[finding].id;
}

void fz_finding_show(const struct fz_findings *findings, enum fz_finding finding, const char *text)
{
    const struct fz_diagnosis diagnosis = {.health = table[finding].health, .id = table[finding].id, .text = text};

    findings->visit(findings->ctx, &diagnosis);
}
