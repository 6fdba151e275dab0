/* SPDX-License-Identifier: MIT */
/* konayuki's keys in a Redis: slots of one worker, and no worker ids. */
#include "common/foreign.h"
#include "core/sentence.h"
#include "redis/redis_slots.h"

static frazil_err open_register(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    (void)url;
    (void)ret;
    (void)ret_name;
    return fz_fail(reterr, FRAZIL_ESPEC,
                   "konayuki's keys hold slots (state=konayuki+redis://...) and no worker ids: name another source of "
                   "these");
}

static frazil_err open_slots(const frazil_coordinator *self, const struct fz_slots_request *request,
                             struct fz_slot_source *ret, frazil_error *reterr)
{
    (void)self;
    return fz_redis_slots_open(request, ret, reterr);
}

static frazil_err examine(const frazil_coordinator *self, const char *url, const frazil_clock *clock,
                          fz_finding_visitor visit, void *ctx, frazil_error *reterr)
{
    (void)self;
    (void)clock;
    return fz_redis_slots_examine(url, visit, ctx, reterr);
}

const frazil_coordinator fz_konayuki_keys = {
    .open_register = open_register,
    .open_granter = fz_lease_open_granter,
    .open_slots = open_slots,
    .init = fz_lease_init_url,
    .list = fz_lease_list_url,
    .release = fz_lease_release_url,
    .examine = examine,
};
