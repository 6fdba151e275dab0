/* SPDX-License-Identifier: MIT */
/* Redis as a coordinator: which of what is here serves which URL. */
#include <hiredis/hiredis.h>
#include <string.h>

#include "core/sentence.h"
#include "lease/coordinator.h"
#include "redis_register.h"
#include "redis_slots.h"
#include "sfid.h"
#include "sfid_admin.h"
#include "sfid_granter.h"

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

static const char *const schemes[] = {
    "redis", "redis+unix", "rediss", "sfid+redis", "sfid+redis+unix", "konayuki+redis", "konayuki+redis+unix", NULL};

static bool begins_with(const char *url, const char *prefix)
{
    return strncmp(url, prefix, strlen(prefix)) == 0;
}

static bool is_sfid(const char *url)
{
    return begins_with(url, FZ_SFID_SCHEME_PREFIX);
}

static bool is_konayuki(const char *url)
{
    return begins_with(url, FZ_KONAYUKI_SCHEME_PREFIX);
}

static frazil_err no_worker_ids(frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_ESPEC,
                   "konayuki's keys hold slots (state=konayuki+redis://...) and no worker ids: name another source of "
                   "these");
}

static frazil_err open_register(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    if (is_konayuki(url))
        return no_worker_ids(reterr);
    return fz_redis_register_open(url, ret, ret_name, reterr);
}

static frazil_err open_granter(const frazil_coordinator *self, const struct fz_lease_request *request,
                               struct fz_granter *ret, frazil_error *reterr)
{
    return is_sfid(request->url) ? fz_sfid_open_granter(request, ret, reterr)
                                 : fz_lease_open_granter(self, request, ret, reterr);
}

static frazil_err open_slots(const frazil_coordinator *self, const struct fz_slots_request *request,
                             struct fz_slot_source *ret, frazil_error *reterr)
{
    (void)self;
    if (is_sfid(request->url))
        return fz_fail(reterr, FRAZIL_ESPEC, "sfid's keys hold worker ids (worker=sfid+redis://...) and no slots");
    return fz_redis_slots_open(request, ret, reterr);
}

static frazil_err init(const frazil_coordinator *self, const char *url, const struct fz_namespace_options *options,
                       frazil_error *reterr)
{
    if (is_sfid(url))
        return fz_fail(reterr, FRAZIL_EINVAL, "sfid's keys need no namespace: it is there when the first key is taken");
    return fz_lease_init_url(self, url, options, reterr);
}

static frazil_err list(const frazil_coordinator *self, const char *url, fz_lease_visitor visit, void *ctx,
                       struct fz_namespace_record *ret, frazil_error *reterr)
{
    return is_sfid(url) ? fz_sfid_list(url, visit, ctx, ret, reterr)
                        : fz_lease_list_url(self, url, visit, ctx, ret, reterr);
}

static frazil_err release(const frazil_coordinator *self, const char *url, uint32_t worker, frazil_error *reterr)
{
    if (is_sfid(url))
        return fz_fail(
            reterr, FRAZIL_EINVAL,
            "a key of sfid cannot be taken away safely: an owner that lives goes on using the worker id, and "
            "one that is gone loses it %u minutes after its last heartbeat",
            (uint64_t)FZ_SFID_EXPIRY_MS / 60000);
    return fz_lease_release_url(self, url, worker, reterr);
}

static frazil_err examine(const frazil_coordinator *self, const char *url, const frazil_clock *clock,
                          fz_finding_visitor visit, void *ctx, frazil_error *reterr)
{
    if (is_konayuki(url))
        return fz_redis_slots_examine(url, visit, ctx, reterr);
    return is_sfid(url) ? fz_sfid_examine(url, clock, visit, ctx, reterr)
                        : fz_lease_examine_url(self, url, clock, visit, ctx, reterr);
}

const frazil_coordinator *frazil_redis(void)
{
    static const frazil_coordinator redis = {
        .version = FRAZIL_VERSION,
        .part = "redis",
        .client = "hiredis " VERSION_TEXT(HIREDIS_MAJOR, HIREDIS_MINOR, HIREDIS_PATCH),
        .schemes = schemes,
        .open_register = open_register,
        .open_granter = open_granter,
        .open_slots = open_slots,
        .init = init,
        .list = list,
        .release = release,
        .examine = examine,
    };

    return &redis;
}
