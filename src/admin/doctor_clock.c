/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "core/decimal.h"
#include "doctor_judge.h"
#include "os/clock.h"
#include "os/counter.h"
#include "os/host.h"

/* ---- judging --------------------------------------------------------------------- */

static void judge_synchronisation(const struct fz_clock_facts *facts, const struct fz_findings *findings)
{
    int64_t error_us = facts->kernel.max_error_us;

    if (facts->kernel_errno != 0)
        fz_found(findings, FZ_FOUND_CLOCK_UNKNOWN,
                 "the kernel does not say whether the clock is synchronised (errno %d): check on the host itself",
                 (int64_t)facts->kernel_errno);
    else if (!facts->kernel.synchronised)
        fz_found(findings, FZ_FOUND_CLOCK_UNSYNCHRONISED,
                 "nothing synchronises the clock: run chronyd, ntpd or systemd-timesyncd on this host (in a container, "
                 "on its host)");
    else if (error_us / 1000 > facts->max_skew_ms)
        fz_found(findings, FZ_FOUND_CLOCK_INACCURATE,
                 "the clock is synchronised, but may be wrong by %D, and %D are allowed: use a nearer time server%s",
                 (uint64_t)error_us, 1000 * (uint64_t)facts->max_skew_ms,
                 facts->has_coordinator ? ", or raise max_skew" : "");
    else
        fz_found(findings, FZ_FOUND_CLOCK_SYNCHRONISED, "synchronised, with an error of at most %D",
                 (uint64_t)error_us);
}

static void judge_counter(const struct fz_clock_facts *facts, const struct fz_findings *findings)
{
    if (facts->counter_usable)
        fz_found(findings, FZ_FOUND_CLOCK_COUNTER, "ids are timed by the processor's counter (clock source %s)",
                 facts->source);
    else if (!facts->counter_constant)
        fz_found(findings, FZ_FOUND_CLOCK_NO_COUNTER,
                 "this processor has no counter whose rate is known to be constant: each id costs one more clock read; "
                 "a newer machine, or hypervisor, has one");
    else if (facts->source[0] == '\0')
        fz_finding_show(findings, FZ_FOUND_CLOCK_NO_COUNTER,
                        "it is not known whether the kernel takes the time from the processor's counter: /sys is not "
                        "mounted, or this is a portable build: each id costs one more clock read");
    else
        fz_found(findings, FZ_FOUND_CLOCK_NO_COUNTER,
                 "the kernel uses %s for the time, not the processor's counter: each id costs one more clock read; "
                 "see its log for why, and boot with clocksource=tsc if that was a mistake",
                 facts->source);
}

static void judge_step(const struct fz_clock_facts *facts, const struct fz_findings *findings)
{
    int64_t step_us = facts->step_us;

    if (facts->compared && (step_us >= FZ_CLOCK_STEP_MIN_US || step_us <= -FZ_CLOCK_STEP_MIN_US))
        fz_found(
            findings, FZ_FOUND_CLOCK_STEPPED,
            "the clock was stepped %s by %D since the last run: slew it instead (chrony: makestep only at the start)",
            step_us < 0 ? "back" : "ahead", step_us < 0 ? 0 - (uint64_t)step_us : (uint64_t)step_us);
    else
        fz_finding_show(findings, FZ_FOUND_CLOCK_STEADY,
                        facts->compared ? "not stepped since the last run"
                                        : "a step will be noticed from the next run on");
}

void fz_judge_clock(const struct fz_clock_facts *facts, const struct fz_findings *findings)
{
    if (facts->frozen) {
        fz_finding_show(findings, FZ_FOUND_CLOCK_FROZEN, "clock=frozen is for tests: leave it out of this spec");
        return;
    }
    if (facts->now_unix_ms < facts->epoch_unix_ms)
        fz_found(findings, FZ_FOUND_CLOCK_BEFORE_EPOCH,
                 "the clock shows %t, before the layout's epoch %t: set the clock, or choose an earlier epoch",
                 facts->now_unix_ms, facts->epoch_unix_ms);
    judge_synchronisation(facts, findings);
    judge_counter(facts, findings);
    judge_step(facts, findings);
}

/* ---- collecting -------------------------------------------------------------------- */

/* "BOOT OFFSET"; a clock that has not come to 1970 is not compared. */
static void compare(struct fz_clock_facts *facts, const char *run_dir)
{
    char boot[FZ_BOOT_ID_SIZE];
    char now[FZ_MEMORY_SIZE];
    char last[FZ_MEMORY_SIZE];
    struct fz_sentence s = fz_sentence_in(now, sizeof now);
    int64_t offset_us = fz_clock_since_boot_us();
    uint64_t before;

    if (fz_boot_id(boot) != 0 || offset_us < 0)
        return;
    fz_sentence_str(&s, boot);
    fz_sentence_char(&s, ' ');
    fz_sentence_u64(&s, (uint64_t)offset_us);
    if (!fz_doctor_remember(run_dir, "doctor.clock", now, last))
        return;
    size_t len = strlen(boot) + 1;
    if (strncmp(last, now, len) != 0 || !fz_decimal_parse(last + len, strlen(last + len), &before) ||
        before > INT64_MAX)
        return;
    facts->compared = true;
    facts->step_us = offset_us - (int64_t)before;
}

void fz_collect_clock(struct fz_clock_facts *ret, const struct fz_decision *decision, const char *run_dir)
{
    frazil_layout_info info;
    struct fz_clock_facts facts = {.frozen = decision->frozen,
                                   .max_skew_ms = decision->lease.max_skew_ms,
                                   .has_coordinator =
                                       decision->worker.url != NULL || decision->state.kind == FZ_STATE_URL};

    frazil_layout_get_info(&decision->layout, &info, sizeof info);
    facts.now_unix_ms = fz_real_now().unix_ms;
    facts.epoch_unix_ms = info.first_unix_ms;
    facts.kernel_errno = fz_kernel_clock_read(&facts.kernel);
    facts.counter_constant = fz_counter_is_constant();
    facts.counter_usable = fz_counter_usable();
    (void)fz_clock_source(facts.source);
    if (run_dir != NULL)
        compare(&facts, run_dir);
    *ret = facts;
}
