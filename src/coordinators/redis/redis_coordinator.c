/* SPDX-License-Identifier: MIT */
/* Redis as a coordinator: which of what is here, and in compat/, serves which URL. */
#include <hiredis/hiredis.h>
#include <string.h>

#include "common/foreign.h"
#include "os/clients.h"
#include "redis_register.h"
#include "redis_slots.h"

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

static frazil_err diagnose_own_slots(const frazil_coordinator *self, const char *url, const frazil_clock *clock,
                                     fz_finding_visitor visit, void *ctx, frazil_error *reterr)
{
    static const struct fz_redis_slots_place place = {.commands = {"HSET"}, .before = FZ_REDIS_SLOTS_KEY, .behind = ""};

    (void)self;
    return fz_redis_diagnose_slots(url, &place, clock, visit, ctx, reterr);
}

/* frazil's own keys. */
static const frazil_coordinator own = {FZ_LEASE_COORDINATOR, .open_register = fz_redis_register_open,
                                       .open_slots = fz_redis_slots_open, .diagnose_slots = diagnose_own_slots};

static const struct fz_foreign foreign[] = {{"sfid+", &fz_sfid_keys}, {"konayuki+", &fz_konayuki_keys}};

/* The system whose keys a URL names. */
static const frazil_coordinator *server_of(const char *url)
{
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        if (strncmp(url, foreign[i].prefix, strlen(foreign[i].prefix)) == 0)
            return foreign[i].served_by;
    }
    return &own;
}

static frazil_err open_register(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    return server_of(url)->open_register(url, ret, ret_name, reterr);
}

static frazil_err open_granter(const frazil_coordinator *self, const struct fz_lease_request *request,
                               struct fz_granter *ret, frazil_error *reterr)
{
    (void)self;
    return server_of(request->url)->open_granter(server_of(request->url), request, ret, reterr);
}

static frazil_err open_slots(const frazil_coordinator *self, const struct fz_slots_request *request,
                             struct fz_slot_source *ret, frazil_error *reterr)
{
    (void)self;
    return server_of(request->url)->open_slots(server_of(request->url), request, ret, reterr);
}

static frazil_err init(const frazil_coordinator *self, const char *url, const struct fz_namespace_options *options,
                       frazil_error *reterr)
{
    (void)self;
    return server_of(url)->init(server_of(url), url, options, reterr);
}

static frazil_err list(const frazil_coordinator *self, const char *url, fz_lease_visitor visit, void *ctx,
                       struct fz_namespace_record *ret, frazil_error *reterr)
{
    (void)self;
    return server_of(url)->list(server_of(url), url, visit, ctx, ret, reterr);
}

static frazil_err release(const frazil_coordinator *self, const char *url, uint32_t worker, frazil_error *reterr)
{
    (void)self;
    return server_of(url)->release(server_of(url), url, worker, reterr);
}

static frazil_err diagnose(const frazil_coordinator *self, const char *url, const frazil_clock *clock,
                           fz_finding_visitor visit, void *ctx, frazil_error *reterr)
{
    (void)self;
    return server_of(url)->diagnose(server_of(url), url, clock, visit, ctx, reterr);
}

static frazil_err diagnose_slots(const frazil_coordinator *self, const char *url, const frazil_clock *clock,
                                 fz_finding_visitor visit, void *ctx, frazil_error *reterr)
{
    (void)self;
    return server_of(url)->diagnose_slots(server_of(url), url, clock, visit, ctx, reterr);
}

const frazil_coordinator *frazil_coordinator_redis(void)
{
    static const frazil_coordinator redis = {
        FZ_COORDINATOR_BUILD,
        .part = "redis",
        .client = "hiredis " VERSION_TEXT(HIREDIS_MAJOR, HIREDIS_MINOR, HIREDIS_PATCH),
        .share_clients = fz_clients_share,
        .open_register = open_register,
        .open_granter = open_granter,
        .open_slots = open_slots,
        .init = init,
        .list = list,
        .release = release,
        .diagnose = diagnose,
        .diagnose_slots = diagnose_slots,
    };

    return &redis;
}
