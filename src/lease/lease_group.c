/* SPDX-License-Identifier: MIT */
/* Processes that hold one lease together keep to their pair, and leave to a copy what is a copy's (L11). */
#include "lease_internal.h"

void fz_group_ask(const struct fz_lease *lease, uint64_t until)
{
    if (fz_lease_has_group(lease))
        fz_pair_ask(lease->group.pair, until);
}

bool fz_group_may_swap(const struct fz_lease *lease, uint32_t worker)
{
    return !fz_lease_has_group(lease) || fz_pair_add(lease->group.pair, worker);
}

bool fz_group_can_have_asked(const struct fz_lease *lease, uint64_t until)
{
    return !fz_lease_has_group(lease) || fz_pair_asked(lease->group.pair, until);
}

void fz_group_sample(const struct fz_lease *lease, uint32_t first, uint64_t count, bool is_seen, struct fz_sample *ret)
{
    uint32_t workers[2];

    *ret = (struct fz_sample){.n = 0};
    if (!fz_lease_has_group(lease))
        return;
    const struct fz_pair_view seen = fz_pair_look(lease->group.pair);
    size_t n = fz_pair_workers(&seen, workers);
    if (n < 2 && is_seen)
        return;
    for (size_t i = 0; i < n; i++) {
        if (workers[i] >= first && workers[i] - first < count)
            ret->at[ret->n++] = workers[i];
        else if (lease->space.known)
            fz_pair_drop(lease->group.pair, &seen, workers[i]);
    }
    ret->whole = ret->n;
    ret->is_pair = ret->n > 0;
}

/*
 * Whether a worker id of the pair is one to wait for, if its ticks have not passed.  Those that a clock far ahead has
 * asked for pass in hours or years: two such worker ids would keep the group from all others for so long.  Where the
 * coordinator has no clock, nobody can tell whose was.
 */
static bool is_worth_waiting_for(const struct fz_survey *survey, uint64_t now_tick, uint32_t worker,
                                 const struct fz_candidate *best, size_t n)
{
    size_t i = 0;

    while (i < n && best[i].worker != worker)
        i++;
    return i < n && (!survey->status.has_clock ||
                     best[i].record.until <= fz_namespace_grants_end(survey->lease, &survey->status, now_tick));
}

bool fz_group_renew(const struct fz_survey *survey, uint64_t now_tick, const struct fz_candidate *best, size_t n)
{
    struct fz_lease_pair *pair = survey->lease->group.pair;
    uint32_t ignored[2];

    for (size_t i = 0; i < survey->sample.n; i++) {
        const uint32_t worker = survey->sample.at[i];
        if (!is_worth_waiting_for(survey, now_tick, worker, best, n)) /* one at a time: the next look shows the other */
            fz_pair_drop(pair, &survey->pair, worker);
    }
    const struct fz_pair_view now = fz_pair_look(pair);
    return fz_pair_workers(&now, ignored) < 2;
}
