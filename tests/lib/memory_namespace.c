/* SPDX-License-Identifier: MIT */
#include "lib/memory_namespace.h"

#include <string.h>

#include "lib/asserts.h"

#define SCHEME "memory://"

static struct fz_memory_store *store;

void (*memory_namespace_wrap)(struct fz_register *reg);

static frazil_err open_register(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    (void)reterr;
    memcpy(ret_name, url + strlen(SCHEME), strlen(url + strlen(SCHEME)) + 1);
    *ret = fz_memory_register(store);
    if (memory_namespace_wrap != NULL)
        memory_namespace_wrap(ret);
    return FRAZIL_OK;
}

static const char *const schemes[] = {"memory", NULL};
const frazil_coordinator memory_coordinator = {FZ_LEASE_COORDINATOR, .part = "memory", .client = "none",
                                               .schemes = schemes, .open_register = open_register};
const frazil_coordinator *const memory_coordinators[] = {&memory_coordinator, NULL};

struct creation {
    const frazil_layout *layout;
    int64_t unix_ms;
};

static uint64_t creation_tick(void *ctx)
{
    const struct creation *creation = ctx;

    return (uint64_t)(creation->unix_ms - creation->layout->epoch_unix_ms) / creation->layout->tick_ms;
}

void memory_namespace_start_empty(void)
{
    memory_namespace_wrap = NULL;
    store = fz_memory_store_new(1);
    assert_non_null(store);
}

void memory_namespace_start(const frazil_layout *layout, uint64_t workers, uint64_t horizon_ms, int64_t now_ms)
{
    struct creation creation = {layout, now_ms};
    const struct fz_namespace_options options = {.layout = layout,
                                                 .horizon_ms = horizon_ms,
                                                 .workers = workers,
                                                 .token = {1, 2},
                                                 .never_used = true,
                                                 .now_tick = creation_tick,
                                                 .now_ctx = &creation};
    frazil_error err;

    memory_namespace_start_empty();
    if (memory_coordinator.init(&memory_coordinator, SCHEME "orders", &options, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
}

void memory_namespace_stop(void)
{
    fz_memory_store_free(store);
    store = NULL;
}

struct fz_register memory_namespace_register(void)
{
    return fz_memory_register(store);
}

struct fz_worker_record memory_namespace_record(uint32_t worker)
{
    struct fz_register reg = memory_namespace_register();
    struct fz_record raw = {.version = 0};
    struct fz_worker_record record;

    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, worker, &raw, NULL, NULL), FZ_REGISTER_OK);
    assert_int_not_equal(raw.version, 0);
    assert_int_equal(fz_worker_record_parse(raw.data, raw.len, &record, NULL), FRAZIL_OK);
    reg.close(reg.ctx);
    return record;
}

void memory_namespace_release(uint32_t worker)
{
    frazil_error err;

    if (memory_coordinator.release(&memory_coordinator, SCHEME "orders", worker, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
}
