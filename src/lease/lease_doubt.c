/* SPDX-License-Identifier: MIT */
/*
 * Worker ids for which a swap had no answer, and which it may have taken.  A search that is made again because there
 * was no answer would take two more each time, and a fleet that starts over a coordinator that is slow would empty the
 * pool.  So there are two of them at most, and while there are two, no other is tried.
 */
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "lease_internal.h"

static bool is_in_doubt(const struct fz_lease *lease, uint32_t worker)
{
    for (size_t i = 0; i < lease->doubt.n; i++) {
        if (lease->doubt.worker[i] == worker)
            return true;
    }
    return false;
}

void fz_doubt_note(struct fz_lease *lease, uint32_t worker, const char *why)
{
    struct fz_sentence kept = fz_sentence_in(lease->doubt.why, sizeof lease->doubt.why);

    fz_sentence_str(&kept, why);
    if (lease->doubt.n < FZ_DOUBT_MAX && !is_in_doubt(lease, worker))
        lease->doubt.worker[lease->doubt.n++] = worker;
}

void fz_doubt_forget(struct fz_lease *lease)
{
    lease->doubt.n = 0;
}

void fz_doubt_sample(const struct fz_lease *lease, struct fz_sample *ret)
{
    /* Processes that share a lease have a pair, which is more than this: it also outlives them. */
    if (fz_lease_has_group(lease) || lease->doubt.n < FZ_DOUBT_MAX)
        return;
    for (; ret->n < FZ_DOUBT_MAX; ret->n++)
        ret->at[ret->n] = lease->doubt.worker[ret->n];
    ret->whole = ret->n;
    ret->is_pair = true;
}

static bool has_own(const struct fz_lease *lease, const struct fz_shortlist *list, uint32_t worker)
{
    for (size_t i = 0; i < list->n; i++) {
        if (list->at[i].worker == worker && fz_token_equal(list->at[i].record.token, lease->self.token))
            return true;
    }
    return false;
}

bool fz_doubt_settle(struct fz_lease *lease, const struct fz_survey *survey)
{
    size_t kept = 0;

    for (size_t i = 0; i < lease->doubt.n; i++) {
        uint32_t worker = lease->doubt.worker[i];
        bool has_record = (survey->seen[0] >> i & 1) != 0;
        bool ours = has_own(lease, &survey->own, worker) || has_own(lease, &survey->unreleased, worker) ||
                    has_own(lease, &survey->released, worker);
        /* Without a record the swap may still be carried out; another owner's record says that it never will. */
        if (!has_record || ours)
            lease->doubt.worker[kept++] = worker;
    }
    bool settled = kept < lease->doubt.n;
    lease->doubt.n = kept;
    return settled;
}

frazil_err fz_doubt_fail(const struct fz_lease *lease, uint64_t floor, uint64_t wait_ticks, frazil_error *reterr)
{
    fz_fail(
        reterr, FRAZIL_EUNREACHABLE,
        "requests to namespace %q got no answer, and may have taken worker ids %u and %u: no third one is tried before "
        "%t: %s",
        lease->name, (uint64_t)lease->doubt.worker[0], (uint64_t)lease->doubt.worker[1],
        fz_layout_tick_unix_ms(&lease->layout, floor), lease->doubt.why);
    if (reterr != NULL)
        reterr->retry_ns = fz_layout_ticks_ns(&lease->layout, wait_ticks);
    return FRAZIL_EUNREACHABLE;
}
