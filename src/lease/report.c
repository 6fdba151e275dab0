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

void fz_report_skew(const struct fz_report *report, struct fz_clock_bounds here, struct fz_clock_bounds there)
{
    int64_t skew_ms = 0;

    if (there.latest_ms < here.earliest_ms)
        skew_ms = there.latest_ms - here.earliest_ms;
    else if (there.earliest_ms > here.latest_ms)
        skew_ms = there.earliest_ms - here.latest_ms;
    fz_report_say(report, FZ_FINDING_OK, FZ_FINDING_SKEW "%d ms", skew_ms);
}

void fz_report_failure(const struct fz_report *report, const frazil_error *said)
{
    bool refuses = said->code == FRAZIL_EREFUSED || said->code == FRAZIL_EAGAIN;

    fz_report_say(report, FZ_FINDING_FAIL, "%s%s", refuses ? FZ_FINDING_REFUSED : FZ_FINDING_SILENT, said->message);
}
