/* SPDX-License-Identifier: MIT */
#include "lib/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/asserts.h"
#include "lib/register_rig.h"
#include "os/clock.h"

void findings_note(void *ctx, enum fz_finding_level level, const char *sentence)
{
    static const char *const names[] = {"OK", "WARN", "FAIL"};
    struct findings *findings = ctx;

    int len = snprintf(findings->text + findings->len, sizeof findings->text - findings->len, "%s %s\n", names[level],
                       sentence);
    findings->len += (size_t)len;
    assert_true(findings->len < sizeof findings->text);
}

struct findings findings_at(const frazil_coordinator *coordinator, const char *format, ...)
{
    struct findings findings = {.len = 0};
    frazil_clock clock = fz_real_clock();
    frazil_error err;
    char url[REGISTER_URL_SIZE];
    va_list args;

    va_start(args, format);
    register_url(url, format, args);
    va_end(args);
    if (coordinator->diagnose(coordinator, url, &clock, findings_note, &findings, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    assert_not_found(findings, "s3cret");
    return findings;
}

void assert_found(struct findings findings, const char *words)
{
    if (strstr(findings.text, words) == NULL)
        fail_msg("not found: %s\nbut: %s", words, findings.text);
}

void assert_not_found(struct findings findings, const char *words)
{
    if (strstr(findings.text, words) != NULL)
        fail_msg("found: %s\nin: %s", words, findings.text);
}
