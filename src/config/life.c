/* SPDX-License-Identifier: MIT */
#include "life.h"

#include "core/layout_internal.h"
#include "core/now.h"
#include "core/sentence.h"
#include "os/clock.h"

static int64_t shown_time(const struct fz_decision *decision, const frazil_clock *clock)
{
    if (clock != NULL)
        return fz_now(clock).unix_ms;
    return decision->frozen ? decision->frozen_unix_ms : fz_real_now().unix_ms;
}

/*
 * An epoch in the future is a mistake in the spec, which waiting does not fix.  It is the clock that is wrong only if
 * it shows a time before there was any frazil, as hosts do that have just booted; then ids wait for the clock.
 */
static frazil_err check_epoch(int64_t epoch_ms, int64_t now_ms, frazil_error *reterr)
{
    if (now_ms >= epoch_ms || now_ms < FZ_LAYOUT_DEFAULT_EPOCH_MS)
        return FRAZIL_OK;
    return fz_fail(
        reterr, FRAZIL_ESPEC,
        "the layout's epoch %t lies in the future (the clock shows %t): choose an epoch that has passed, such "
        "as today's date",
        epoch_ms, now_ms);
}

/* A layout about to end is refused in good time, not on its last day. */
static frazil_err check_end(int64_t last_ms, int64_t now_ms, frazil_error *reterr)
{
    if (now_ms < last_ms - FZ_SHORT_LIFE_MS)
        return FRAZIL_OK;
    if (now_ms > last_ms)
        return fz_fail(
            reterr, FRAZIL_ESHORTLIFE,
            "the layout ended at %t, and it is %t: use one that lasts longer, with more bits for the time, a "
            "longer tick or a later epoch",
            last_ms, now_ms);
    return fz_fail(reterr, FRAZIL_ESHORTLIFE,
                   "the layout ends at %t, less than ten years from now (%t): use one that lasts longer, or open it "
                   "with allow_short_life=yes",
                   last_ms, now_ms);
}

frazil_err fz_check_life(const struct fz_decision *decision, const frazil_clock *clock, frazil_error *reterr)
{
    const int64_t now_ms = shown_time(decision, clock);
    frazil_layout_info info;

    frazil_layout_get_info(&decision->layout, &info, sizeof info);
    frazil_err err = check_epoch(decision->layout.epoch_unix_ms, now_ms, reterr);
    if (err == FRAZIL_OK && !decision->allow_short_life)
        err = check_end(info.last_unix_ms, now_ms, reterr);
    return err;
}
