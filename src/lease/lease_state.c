/* SPDX-License-Identifier: MIT */
#include <assert.h>

#include "core/layout_internal.h"
#include "lease_internal.h"

uint64_t fz_lease_reach(const struct fz_lease *lease, uint64_t now_tick)
{
    uint64_t last = fz_layout_last_tick(&lease->layout);
    uint64_t horizon = fz_namespace_horizon(&lease->space, &lease->layout);

    return now_tick > last || last - now_tick < horizon ? last : now_tick + horizon;
}

bool fz_lease_after_losses(const struct fz_lease *lease, const struct fz_grant *held)
{
    return held->until >= lease->space.record.quarantine_until;
}

void fz_lease_note_clock(struct fz_lease *lease, uint64_t now_tick)
{
    lease->agreed = (struct fz_agreed_clock){.known = true, .tick = now_tick, .ns = lease->call.begun_ns};
}

void fz_lease_set_trouble(struct fz_lease *lease, enum fz_trouble trouble, uint32_t worker, uint64_t version)
{
    lease->trouble.kind = trouble;
    lease->trouble.worker = worker;
    lease->trouble.version = version;
    lease->trouble.defer_until = 0;
    lease->trouble.clone_counted = false;
}

enum fz_register_result fz_lease_swap(struct fz_lease *lease, uint32_t worker, uint64_t expected,
                                      const struct fz_worker_record *record, uint64_t *ret_version,
                                      struct fz_register_status *status, frazil_error *reterr)
{
    char text[FZ_RECORD_SIZE_MAX];
    size_t len = fz_worker_record_format(record, text);

    lease->counters.round_trips++;
    enum fz_register_result result =
        lease->reg.swap(lease->reg.ctx, lease->call.deadline, &(struct fz_swap){worker, expected, text, len},
                        ret_version, status, reterr);
    assert(result != FZ_REGISTER_OK || *ret_version > expected);
    return result;
}
