/* SPDX-License-Identifier: MIT */
#include <assert.h>

#include "core/layout_internal.h"
#include "core/sentence.h"
#include "frazil/time.h"
#include "lease_internal.h"
#include "report.h"

uint64_t fz_double_skew(const frazil_layout *layout, int64_t max_skew_ms)
{
    return (2 * (uint64_t)max_skew_ms + layout->tick_ms - 1) / layout->tick_ms;
}

uint64_t fz_nearest_tick(const frazil_layout *layout, int64_t unix_ms)
{
    uint64_t tick;

    /* A coordinator whose clock was never set may show a time before the epoch, which has no tick. */
    if (fz_layout_tick_of(layout, unix_ms, &tick, NULL) == FRAZIL_OK)
        return tick;
    return unix_ms < layout->epoch_unix_ms ? 0 : fz_layout_last_tick(layout);
}

uint64_t fz_coordinator_tick(const frazil_layout *layout, const struct fz_register_status *status, uint64_t now_tick)
{
    if (!status->has_clock)
        return now_tick;
    /* The caller's own clock says best where between the bounds it stands: a whole second is long for a short horizon.
     */
    uint64_t earliest = fz_nearest_tick(layout, status->unix_ms);
    uint64_t latest = fz_nearest_tick(layout, status->unix_ms + status->clock_width_ms);

    return now_tick < earliest ? earliest : now_tick > latest ? latest : now_tick;
}

uint64_t fz_later_tick(const frazil_layout *layout, const struct fz_register_status *status, uint64_t now_tick)
{
    /* The latest that the clock can have shown: a quarantine that ends too late costs time, one too early costs ids. */
    uint64_t tick = status->has_clock ? fz_nearest_tick(layout, status->unix_ms + status->clock_width_ms) : now_tick;

    return tick > now_tick ? tick : now_tick;
}

int64_t fz_clock_difference(const frazil_layout *layout, const struct fz_register_status *status, uint64_t now_tick,
                            int64_t passed_ms)
{
    int64_t tick_begins = fz_layout_tick_unix_ms(layout, now_tick);
    const struct fz_clock_bounds here = {tick_begins, tick_begins + (layout->tick_ms - 1) + passed_ms};
    const struct fz_clock_bounds there = {status->unix_ms, status->unix_ms + status->clock_width_ms};

    return status->has_clock ? fz_clocks_apart(here, there) : 0;
}

frazil_err fz_clocks_differ(const frazil_layout *layout, const char *name, const struct fz_register_status *status,
                            uint64_t now_tick, int64_t skew_ms, int64_t max_skew_ms, frazil_error *reterr)
{
    int64_t here = fz_layout_tick_unix_ms(layout, now_tick);

    assert(skew_ms != 0);
    fz_fail(reterr, FRAZIL_ECLOCK,
            "the clocks differ too much: it is %t here, and %t at the coordinator of namespace %q; that is at least "
            "%D, and "
            "max_skew is %D",
            here, status->unix_ms, name, 1000 * (skew_ms < 0 ? 0 - (uint64_t)skew_ms : (uint64_t)skew_ms),
            1000 * (uint64_t)max_skew_ms);
    /* Only a clock that is behind can be waited for; behind_us has no sign. */
    if (reterr != NULL && skew_ms > 0)
        reterr->behind_us = skew_ms > INT64_MAX / 1000 ? INT64_MAX : skew_ms * 1000;
    return FRAZIL_ECLOCK;
}

/* Why its effect is unknown: a server was silent, or a disk failed in the middle of a write. */
static const char *what_it_left_open(frazil_err said)
{
    return said == FRAZIL_ESYS ? "cannot tell whether the write happened" : "did not answer";
}

/* Why a coordinator that is asked again later did nothing (register.h). */
static const char *what_it_cannot(frazil_err said)
{
    if (said == FRAZIL_EAGAIN)
        return "cannot serve for a while";
    return said == FRAZIL_EREFUSED || said == FRAZIL_ESYS ? "cannot serve until that is fixed" : "cannot be reached";
}

frazil_err fz_register_error(enum fz_register_result result, const char *name, const frazil_error *said,
                             frazil_error *reterr)
{
    const char *sentence = said->message[0] != '\0' ? said->message : "it gave no reason";

    switch (result) {
    case FZ_REGISTER_REFUSED:
        /* It may have told whose the fault is: a record that is not ours is another matter than a password. */
        return fz_fail(reterr, said->code == FRAZIL_ENAMESPACE ? FRAZIL_ENAMESPACE : FRAZIL_EREFUSED,
                       "the coordinator of namespace %q refuses: %s", name, sentence);
    case FZ_REGISTER_UNREACHABLE:
        return fz_fail(reterr, FRAZIL_EUNREACHABLE, "the coordinator of namespace %q %s: %s", name,
                       what_it_cannot((frazil_err)said->code), sentence);
    case FZ_REGISTER_CONFLICT:
        return fz_fail(reterr, FRAZIL_EAGAIN, "other processes changed namespace %q first: try again", name);
    default:
        return fz_fail(reterr, FRAZIL_EUNREACHABLE, "the coordinator of namespace %q %s: %s", name,
                       what_it_left_open((frazil_err)said->code), sentence);
    }
}

/* The holders whose grants end first, up to the length of a sentence, and how many more there are. */
static void add_holders(const struct fz_survey *survey, struct fz_sentence *s)
{
    enum { ENTRY_MAX = 10 + 4 + FZ_OWNER_SIZE + 7 + FRAZIL_TIME_SIZE + 2, TAIL_MAX = 48 };
    const struct fz_shortlist *list = &survey->unreleased;
    size_t shown = 0;

    /* The sentence ends with how many there are more, so there has to be room for that. */
    for (; shown < list->n && s->len + ENTRY_MAX + TAIL_MAX < s->size; shown++) {
        const struct fz_candidate *holder = &list->at[shown];
        fz_sentence_str(s, shown == 0 ? "" : ", ");
        fz_sentence_u64(s, holder->worker);
        fz_sentence_str(s, " by ");
        fz_sentence_str(s, holder->record.owner);
        fz_sentence_str(s, " until ");
        fz_sentence_time(s, fz_layout_tick_unix_ms(&survey->lease->layout, holder->record.until));
    }
    if (survey->held > shown) {
        fz_sentence_str(s, ", and ");
        fz_sentence_u64(s, survey->held - shown);
        fz_sentence_str(s, " more");
    }
    if (survey->unreadable > 0) {
        fz_sentence_str(s, survey->held == 0 ? "" : ", ");
        fz_sentence_u64(s, survey->unreadable);
        fz_sentence_str(s, " cannot be read");
    }
}

/* How long until the first of the grants that are held has ended, if nobody extends it; 0: it cannot be known. */
static uint64_t held_for_ns(const struct fz_lease *lease, const struct fz_survey *survey, uint64_t coordinator_tick)
{
    const struct fz_shortlist *list = &survey->unreleased;

    if (list->n == 0 || list->at[0].record.until < coordinator_tick)
        return 0;
    return fz_layout_ticks_ns(&lease->layout, list->at[0].record.until + 1 - coordinator_tick);
}

frazil_err fz_all_leased(const struct fz_lease *lease, const struct fz_survey *survey, uint64_t coordinator_tick,
                         frazil_error *reterr)
{
    char text[FRAZIL_ERROR_MESSAGE_SIZE - 360]; /* the caller may add something */
    struct fz_sentence s = fz_sentence_in(text, sizeof text);

    add_holders(survey, &s);
    fz_fail(reterr, FRAZIL_EPOOL, "all worker ids (%u to %u) of namespace %q are taken: %s", (uint64_t)survey->first,
            survey->first + survey->usable - 1, lease->name, text);
    if (reterr != NULL)
        reterr->retry_ns = held_for_ns(lease, survey, coordinator_tick);
    return FRAZIL_EPOOL;
}
