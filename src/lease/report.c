/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <stdarg.h>

#include "core/sentence.h"

void fz_report_say(const struct fz_report *report, enum fz_finding_level level, const char *fmt, ...)
{
    char text[FZ_FINDING_SIZE];
    struct fz_sentence sentence = fz_sentence_in(text, sizeof text);
    va_list args;

    va_start(args, fmt);
    fz_sentence_format(&sentence, fmt, &args);
    va_end(args);
    report->visit(report->ctx, level, text);
}

int64_t fz_clocks_apart(struct fz_clock_bounds here, struct fz_clock_bounds there)
{
    if (there.latest_ms < here.earliest_ms)
        return there.latest_ms - here.earliest_ms;
    return there.earliest_ms > here.latest_ms ? there.earliest_ms - here.latest_ms : 0;
}

void fz_report_skew(const struct fz_report *report, struct fz_clock_bounds here, struct fz_clock_bounds there)
{
    fz_report_say(report, FZ_FINDING_OK, FZ_FINDING_SKEW "%d ms", fz_clocks_apart(here, there));
}

static const char *beginning_of(enum fz_register_result result, int32_t code)
{
    if (result == FZ_REGISTER_REFUSED)
        return FZ_FINDING_REFUSED;
    if (code == FRAZIL_EAGAIN)
        return FZ_FINDING_BUSY;
    return code == FRAZIL_EREFUSED || code == FRAZIL_ESYS ? FZ_FINDING_BROKEN : FZ_FINDING_SILENT;
}

void fz_report_failure(const struct fz_report *report, enum fz_register_result result, const frazil_error *said)
{
    fz_report_say(report, FZ_FINDING_FAIL, "%s%s", beginning_of(result, said->code), said->message);
}
