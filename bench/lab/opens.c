/* SPDX-License-Identifier: MIT */
/* Opening with the sources of a worker id that need no coordinator, and opening one more when many are held. */
#include "lab.h"

#include <stdio.h>

/* A lease over a coordinator, without a network to it. */
static bool open_leased(struct bench_rig *rig, const char *url, uint64_t count, double *ret_ns)
{
    char keys[BENCH_PATH_SIZE + 64];

    (void)snprintf(keys, sizeof keys, "worker=%s keeper=inline", url);
    return bench_run_open(rig, &(struct bench_case){.keys = keys}, count, ret_ns);
}

static bool run_lease(struct bench_rig *rig, const struct bench_case *self, uint64_t count, double *ret_ns)
{
    (void)self;
    return open_leased(rig, lab_of(rig)->lease_url, count, ret_ns);
}

static bool run_lease_spare(struct bench_rig *rig, const struct bench_case *self, uint64_t count, double *ret_ns)
{
    (void)self;
    return open_leased(rig, lab_of(rig)->spare_url, count, ret_ns);
}

/*
 * A host without an address of its own, or without one of the version that a source wants, has no such worker id: that
 * is no failure, but no sample either.
 */
static bool run_by_address(struct bench_rig *rig, const struct bench_case *self, uint64_t count, double *ret_ns)
{
    char spec[BENCH_SPEC_SIZE];
    frazil *probe = NULL;

    (void)snprintf(spec, sizeof spec, "%s %s state=memory", self->layout, self->keys);
    rig->disturbed = frazil_open(&probe, spec, NULL) != FRAZIL_OK;
    frazil_close(probe);
    *ret_ns = (double)count * 1e9; /* the calibration need not ask again */
    return rig->disturbed || bench_run_open(rig, self, count, ret_ns);
}

/* A process has 65536 partitions in all its life: no more of them than that are used in all rounds there can be. */
static bool run_auto(struct bench_rig *rig, const struct bench_case *self, uint64_t count, double *ret_ns)
{
    enum { AUTO_MAX = 32 };
    uint64_t some = count < AUTO_MAX ? count : AUTO_MAX;

    if (!bench_run_open(rig, self, some, ret_ns))
        return false;
    *ret_ns *= (double)count / (double)some;
    return true;
}

#define SOURCE(key, name) BENCH_LABEL("Opening, other sources of worker ids", key, name, "us"), .unit_ns = 1000
#define OPENS(spec_keys) .run = bench_run_open, .kept = true, .keys = spec_keys " keeper=inline"
#define BY_ADDRESS(spec_keys)                                                                                          \
    .label.missed = "this host has no address of its own that would do", .run = run_by_address, .kept = true,          \
    .layout = "layout=frazil", .keys = spec_keys " keeper=inline"

const struct bench_case lab_sources[] = {
    {SOURCE("open_lock", "file-lock, keeper=inline"), OPENS("worker=file-lock")},
    {SOURCE("open_env", "env, keeper=inline"), OPENS("worker=env:" LAB_WORKER_VARIABLE)},
    {SOURCE("open_ordinal", "ordinal, keeper=inline"), OPENS("worker=ordinal hostname=orders-7")},
    {SOURCE("open_hash", "hostname-hash, keeper=inline"), OPENS("worker=hostname-hash hostname=orders-7 expect=2")},
    {SOURCE("open_octet", "ip-last-octet, keeper=inline"), BY_ADDRESS("worker=ip-last-octet")},
    {SOURCE("open_ip_hash", "ip-hash, keeper=inline"), BY_ADDRESS("worker=ip-hash expect=2")},
    {SOURCE("open_auto", "auto of a sno, state=memory"), .run = run_auto, .layout = "layout=sno",
     .keys = "worker=auto state=memory"},
    {SOURCE("open_lease", "leased from a folder, keeper=inline"), .run = run_lease},
    {.run = NULL},
};

#define MORE(key, name) BENCH_LABEL("Opening one more", key, name, "us"), .unit_ns = 1000
#define BESIDE(other) .label.targets = {{BENCH_TIMES, 0, (other)}}

/* Nobody holds anything in the namespace called spare; base=100 begins to look above those that are held. */
const struct bench_case lab_more[] = {
    {MORE("open_lock_none", "file-lock, none held"), OPENS("worker=file-lock namespace=spare")},
    {MORE("open_lock_held", "file-lock, 100 held"), BESIDE("open_lock_none"), OPENS("worker=file-lock")},
    {MORE("open_lock_base", "file-lock, 100 held, base=100"), BESIDE("open_lock_none"),
     OPENS("worker=file-lock base=100")},
    {MORE("open_lease_none", "leased from a folder, none held"), .run = run_lease_spare},
    {MORE("open_lease_held", "leased from a folder, 100 held"), BESIDE("open_lease_none"), .run = run_lease},
    {.run = NULL},
};
