/* SPDX-License-Identifier: MIT */
/* The examiners' report on a coordinator: sentences for the operator, one after the other. */
#ifndef FZ_LEASE_REPORT_H
#define FZ_LEASE_REPORT_H

#include "register.h"

/* Where the sentences go. */
struct fz_report {
    fz_finding_visitor visit;
    void *ctx;
};

/*
 * Says one thing.  The sentence is made as fz_fail makes its own: pass each text that came from a server by %q, which
 * puts it in quotes and makes it harmless.  A sentence longer than FZ_FINDING_SIZE is cut.  Any thread.
 */
FZ_PRIVATE void fz_report_say(const struct fz_report *report, enum fz_finding_level level, const char *fmt, ...);

/* A clock that is known to have been between two times. */
struct fz_clock_bounds {
    int64_t earliest_ms;
    int64_t latest_ms;
};

/*
 * How far the coordinator's clock is ahead, at least, in ms; negative: behind.  0 if both can have shown the same.
 * here: ours before the request and after the answer.  The coordinator read its clock in between: what the answer took
 * is no difference of clocks.
 */
FZ_PRIVATE int64_t fz_clocks_apart(struct fz_clock_bounds here, struct fz_clock_bounds there);

/* Says that. */
FZ_PRIVATE void fz_report_skew(const struct fz_report *report, struct fz_clock_bounds here,
                               struct fz_clock_bounds there);

/*
 * Says that the coordinator could not be asked, and why: it refuses, cannot serve now, or does not answer.
 * A finding, not an error: the doctor goes on with its other questions.
 */
FZ_PRIVATE void fz_report_failure(const struct fz_report *report, enum fz_register_result result,
                                  const frazil_error *said);

#endif
