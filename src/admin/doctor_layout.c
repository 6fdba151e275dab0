/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "doctor_judge.h"

static const int64_t year_ms = INT64_C(31556952000); /* of the calendar, on average */

/* In seconds, all that anybody takes for an epoch; in milliseconds, days of 1970, which nobody does. */
static const int64_t seconds_of_1973 = INT64_C(100000000), seconds_of_2286 = INT64_C(10000000000);

enum { REFUSED_BELOW_YEARS = 10, WARNED_BELOW_YEARS = 20 };

static void judge_life(const frazil_layout_info *info, int64_t now_unix_ms, const struct fz_findings *findings)
{
    int64_t last = info->last_unix_ms;
    int64_t years = (last - now_unix_ms) / year_ms;

    if (last < now_unix_ms)
        fz_found(findings, FZ_FOUND_LAYOUT_ENDED, "the layout ended at %t: a new one is needed, or the clock is wrong",
                 last);
    else if (years < REFUSED_BELOW_YEARS)
        fz_found(findings, FZ_FOUND_LAYOUT_SHORT_LIFE,
                 "the layout ends at %t, in %d year%s: plan another one now (`frazil layout overlap`); until then it "
                 "opens with allow_short_life=yes",
                 last, years, years == 1 ? "" : "s");
    else if (years < WARNED_BELOW_YEARS)
        fz_found(findings, FZ_FOUND_LAYOUT_AGEING,
                 "the layout ends at %t, in %d years; ten years before that, generators refuse it: plan another one "
                 "(`frazil layout overlap`)",
                 last, years);
    else
        fz_found(findings, FZ_FOUND_LAYOUT_LIFE, "its last instant is %t, in %d years", last, years);
}

void fz_judge_layout(const frazil_layout *layout, int64_t now_unix_ms, const struct fz_findings *findings)
{
    frazil_layout_info info;

    frazil_layout_get_info(layout, &info, sizeof info);
    judge_life(&info, now_unix_ms, findings);
    if (layout->epoch_unix_ms >= seconds_of_1973 && layout->epoch_unix_ms < seconds_of_2286)
        fz_found(findings, FZ_FOUND_LAYOUT_SECONDS,
                 "the epoch %d counts milliseconds, and so is %t: if those were seconds, write epoch=%d000, before the "
                 "first id is made",
                 layout->epoch_unix_ms, layout->epoch_unix_ms, layout->epoch_unix_ms);
    if (layout->kind == FRAZIL_LAYOUT_SNO)
        return; /* ten bytes, which are no number to anybody */
    if (info.reaches_sign_bit)
        fz_found(findings, FZ_FOUND_LAYOUT_SIGN_BIT,
                 "from %t on ids are negative as signed 64-bit numbers: keep them unsigned or as text, or choose a "
                 "layout of 63 bits",
                 info.sign_bit_unix_ms);
    else
        fz_finding_show(findings, FZ_FOUND_LAYOUT_UNSIGNED, "ids are never negative");
    if (info.fits_53_bits)
        fz_finding_show(findings, FZ_FOUND_LAYOUT_FITS_53, "ids are exact in JavaScript and in JSON numbers");
    else
        fz_finding_show(findings, FZ_FOUND_LAYOUT_OVER_53,
                        "ids are too large for JavaScript's numbers: send them as strings (layout=js53 fits)");
}

void fz_judge_layout_bits(const frazil_layout *layout, bool as_konayuki, const struct fz_findings *findings)
{
    enum { BITS_OF_A_POSITIVE_ID = 63 };
    uint64_t bits = (uint64_t)layout->time_bits + layout->worker_bits + layout->sequence_bits;
    frazil_layout_info info;

    frazil_layout_get_info(layout, &info, sizeof info);
    if (as_konayuki && (layout->kind == FRAZIL_LAYOUT_SNO || bits != BITS_OF_A_POSITIVE_ID))
        fz_found(findings, FZ_FOUND_LAYOUT_NOT_KONAYUKI,
                 "behaviour=konayuki, and the layout's bits add up to %u: konayuki accepts only 63: change the bits if "
                 "it is to read these ids",
                 bits);
    /* A preset has the bits that it has, and a user that stays below 2^53 means to. */
    else if (layout->kind == FRAZIL_LAYOUT_64 && strcmp(layout->name, "custom") == 0 && !info.fits_53_bits &&
             bits < BITS_OF_A_POSITIVE_ID)
        fz_found(findings, FZ_FOUND_LAYOUT_SPARE_BITS,
                 "the layout's bits add up to %u: %u more fit into a positive 64-bit id, for time, worker or sequence",
                 bits, BITS_OF_A_POSITIVE_ID - bits);
}
