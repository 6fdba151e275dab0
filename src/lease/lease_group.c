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

bool fz_group_renew(const struct fz_survey *survey, const struct fz_candidate *best, size_t n)
{
    struct fz_lease_pair *pair = survey->lease->group.pair;
    uint32_t ignored[2];

    for (size_t i = 0; i < survey->sample.n; i++) {
        size_t found = 0;
        while (found < n && best[found].worker != survey->sample.at[i])
            found++;
        if (found == n) /* one at a time: the next look shows the other */
            fz_pair_drop(pair, &survey->pair, survey->sample.at[i]);
    }
    const struct fz_pair_view now = fz_pair_look(pair);
    return fz_pair_workers(&now, ignored) < 2;
}
