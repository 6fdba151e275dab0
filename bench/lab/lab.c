/* SPDX-License-Identifier: MIT */
#include "lab.h"

#include "complain.h"
#include "frazil/admin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Worker ids of the rig's pool_layout. */
enum { POOL = 128 };

struct lab *lab_of(const struct bench_rig *rig)
{
    return rig->more;
}

static bool make_namespace(const struct bench_rig *rig, const char *url)
{
    char spec[BENCH_SPEC_SIZE];
    frazil_error err;
    int64_t opens;

    (void)snprintf(spec, sizeof spec, "%s worker=%s", rig->pool_layout, url);
    if (frazil_admin_leases_init(spec, NULL, FRAZIL_ADMIN_NEVER_USED, &opens, &err) == FRAZIL_OK)
        return true;
    complain_error(&err);
    return false;
}

bool lab_open(struct bench_rig *rig)
{
    struct lab *lab = rig->more = calloc(1, sizeof *lab);

    if (lab == NULL)
        return bench_went_well(FRAZIL_ENOMEM);
    (void)snprintf(lab->lease_url, sizeof lab->lease_url, "file://%s/leases", rig->dir);
    (void)snprintf(lab->spare_url, sizeof lab->spare_url, "file://%s/spare", rig->dir);
    for (int i = 0; i < 2; i++) {
        if (!bench_went_well(frazil_local_open(&lab->locals[i], rig->gen, NULL)))
            return false;
    }
    return make_namespace(rig, lab->lease_url) && make_namespace(rig, lab->spare_url) &&
           setenv(LAB_WORKER_VARIABLE, "7", 1) == 0;
}

/* ---- costs that must not grow ------------------------------------------------------- */

static frazil *open_leased(const struct bench_rig *rig, const char *url)
{
    char keys[BENCH_PATH_SIZE + 64];

    (void)snprintf(keys, sizeof keys, "worker=%s keeper=inline", url);
    return bench_rig_generator(rig->pool_layout, keys);
}

/*
 * Leases each worker id of both namespaces once.  Opening with a lease costs more with each record that there is; so
 * all of them are there when that is measured, whether anything is held or not.
 */
static bool fill_namespaces(const struct bench_rig *rig)
{
    for (int i = 0; i < POOL; i++) {
        frazil *leased = open_leased(rig, lab_of(rig)->lease_url);
        frazil *spare = open_leased(rig, lab_of(rig)->spare_url);
        bool ok = leased != NULL && spare != NULL;
        frazil_close(leased);
        frazil_close(spare);
        if (!ok)
            return false;
    }
    return true;
}

/* Workers that are held on this host, and as many of a coordinator. */
static bool hold_workers(const struct bench_rig *rig)
{
    struct lab *lab = lab_of(rig);

    for (int i = 0; i < LAB_HELD; i++) {
        lab->held[i] = bench_rig_kept(rig, rig->pool_layout, "worker=file-lock keeper=inline");
        lab->leased[i] = open_leased(rig, lab->lease_url);
        if (lab->held[i] == NULL || lab->leased[i] == NULL)
            return false;
    }
    return true;
}

static bool open_timed(const struct bench_rig *rig, int worker, struct lab_timed *ret)
{
    char spec[BENCH_SPEC_SIZE];
    frazil_options *options;
    frazil_clock port;
    frazil_error err;

    if (!bench_went_well(frazil_manual_clock_open(&ret->clock, (int64_t)time(NULL) * 1000, 0, NULL)))
        return false;
    frazil_manual_clock_port(ret->clock, &port, sizeof port);
    (void)snprintf(spec, sizeof spec,
                   "%s state=file run_dir='%s/run' state_dir='%s/state' worker=fixed:%d keeper=inline",
                   rig->pool_layout, rig->dir, rig->dir, worker);
    if (!bench_went_well(frazil_options_open(&options, NULL)))
        return false;
    frazil_err code = frazil_options_spec(options, spec, strlen(spec), &err);
    if (code == FRAZIL_OK)
        code = frazil_options_clock(options, &port, &err);
    if (code == FRAZIL_OK)
        code = frazil_open_with(&ret->gen, options, &err);
    frazil_options_close(options);
    if (code != FRAZIL_OK)
        (void)complain_error(&err);
    return code == FRAZIL_OK;
}

/* An id and a grant an hour. */
static bool grow_old(const struct lab_timed *timed)
{
    const uint64_t hour_ns = UINT64_C(3600000000000);
    frazil_err err = FRAZIL_OK;
    frazil_stat stats[FRAZIL_STATS_MOST];
    uint64_t id;

    for (int hour = 0; hour < LAB_HOURS && err == FRAZIL_OK; hour++) {
        frazil_manual_clock_advance(timed->clock, hour_ns);
        err = frazil_next(timed->gen, &id);
    }
    (void)frazil_get_stats(timed->gen, stats, FRAZIL_STATS_MOST);
    uint64_t grants = stats[FRAZIL_STAT_EXTENSIONS].value + stats[FRAZIL_STAT_MOVES].value;
    if (err == FRAZIL_OK && grants < LAB_HOURS) {
        complain("in %d hours a generator had %" PRIu64 " grants only", LAB_HOURS, grants);
        return false;
    }
    return bench_went_well(err);
}

static bool open_crowd(const char *layout, frazil *crowd[LAB_CROWD])
{
    for (int i = 0; i < LAB_CROWD; i++) {
        char keys[64];
        (void)snprintf(keys, sizeof keys, "worker=fixed:0 state=memory namespace=n%d", i);
        crowd[i] = bench_rig_generator(layout, keys);
        if (crowd[i] == NULL)
            return false;
    }
    return bench_warm_up(crowd, LAB_CROWD);
}

/* 34 years of a thousand million ids a second, from yesterday on. */
static bool open_crowds(const struct bench_rig *rig)
{
    int64_t yesterday = ((int64_t)time(NULL) - 86400) * 1000;
    char slow_layout[128];

    (void)snprintf(slow_layout, sizeof slow_layout, "layout=30/1/30 tick=1s epoch=%" PRId64, yesterday);
    return open_crowd(slow_layout, lab_of(rig)->crowd) && open_crowd(rig->layout, lab_of(rig)->hasty);
}

bool lab_open_growth(struct bench_rig *rig)
{
    struct lab *lab = lab_of(rig);

    lab->pages = aligned_alloc(alignof(struct lab_page), LAB_CROWD * sizeof *lab->pages);
    if (lab->pages == NULL)
        return bench_went_well(FRAZIL_ENOMEM);
    lab->far = bench_rig_generator("layout=42/1/21 epoch=1970-01-01T00:00:00Z tick=1ms", "worker=fixed:0 state=memory");
    if (lab->far == NULL || !open_crowds(rig) || !fill_namespaces(rig) || !hold_workers(rig))
        return false;
    if (!open_timed(rig, 120, &lab->timed[0]) || !open_timed(rig, 121, &lab->timed[1]) || !grow_old(&lab->timed[1]))
        return false;
    return bench_warm_up((frazil *const[]){lab->far, lab->held[LAB_HELD - 1], lab->leased[LAB_HELD - 1]}, 3);
}

void lab_close(struct bench_rig *rig)
{
    struct lab *lab = lab_of(rig);

    if (lab == NULL)
        return;
    for (int i = 0; i < LAB_CROWD; i++) {
        frazil_close(lab->crowd[i]);
        frazil_close(lab->hasty[i]);
    }
    for (int i = 0; i < LAB_HELD; i++) {
        frazil_close(lab->held[i]);
        frazil_close(lab->leased[i]);
    }
    for (int i = 0; i < 2; i++) {
        frazil_local_close(lab->locals[i]);
        frazil_close(lab->timed[i].gen);
        frazil_manual_clock_close(lab->timed[i].clock);
    }
    frazil_close(lab->far);
    free(lab->pages);
    free(lab);
    rig->more = NULL;
}
