/* SPDX-License-Identifier: MIT */
/* sfid's keys in a Redis: worker ids, and no slots. */
#include <string.h>

#include "common/foreign.h"
#include "core/sentence.h"
#include "redis/redis_register.h"
#include "sfid.h"
#include "sfid_admin.h"
#include "sfid_granter.h"

/* Nobody takes a lease from it: it tells whether the URL is right. */
static frazil_err open_register(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    return fz_redis_register_open(url + strlen(FZ_SFID_SCHEME_PREFIX), ret, ret_name, reterr);
}

static frazil_err open_slots(const frazil_coordinator *self, const struct fz_slots_request *request,
                             struct fz_slot_source *ret, frazil_error *reterr)
{
    (void)self;
    (void)request;
    (void)ret;
    return fz_fail(reterr, FRAZIL_ESPEC, "sfid's keys hold worker ids (worker=sfid+redis://...) and no slots");
}

static frazil_err init(const frazil_coordinator *self, const char *url, const struct fz_namespace_options *options,
                       frazil_error *reterr)
{
    (void)self;
    (void)url;
    (void)options;
    return fz_fail(reterr, FRAZIL_EINVAL, "sfid's keys need no namespace: the first key that is taken creates it");
}

static frazil_err release(const frazil_coordinator *self, const char *url, uint32_t worker, frazil_error *reterr)
{
    (void)self;
    (void)url;
    (void)worker;
    return fz_fail(reterr, FRAZIL_EINVAL,
                   "a key of sfid cannot be taken away safely: a live owner keeps using the worker id, and a dead one "
                   "loses it %u minutes after its last heartbeat",
                   (uint64_t)FZ_SFID_EXPIRY_MS / 60000);
}

const frazil_coordinator fz_sfid_keys = {
    .open_register = open_register,
    .open_granter = fz_sfid_open_granter,
    .open_slots = open_slots,
    .init = init,
    .list = fz_sfid_list,
    .release = release,
    .diagnose = fz_sfid_diagnose,
};
