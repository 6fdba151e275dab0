/* SPDX-License-Identifier: MIT */
#include "rig.h"

#include "clock.h"
#include "complain.h"
#include "operations/leases.h"
#include "operations/typed.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- the scratch directory ------------------------------------------------- */

static bool make_dir_in(struct bench_rig *rig, const char *parent)
{
    int len = parent == NULL || parent[0] == '\0'
                  ? -1
                  : snprintf(rig->dir, sizeof rig->dir, "%s/frazil-bench-XXXXXX", parent);

    if (len >= 0 && (size_t)len < sizeof rig->dir && mkdtemp(rig->dir) != NULL)
        return true;
    rig->dir[0] = '\0';
    return false;
}

/* In memory, where run directories are; else wherever there is room for scratch. */
static bool make_dir(struct bench_rig *rig)
{
    if (make_dir_in(rig, fz_typed_variable("XDG_RUNTIME_DIR")) || make_dir_in(rig, "/dev/shm") ||
        make_dir_in(rig, fz_typed_variable("TMPDIR")) || make_dir_in(rig, "/tmp"))
        return true;
    complain("no directory for scratch files could be made, not even in /tmp: %s", strerror(errno));
    return false;
}

/* Removes a directory with all that is in it: nothing but what generators have put there. */
static void remove_tree(const char *path)
{
    char inner[BENCH_PATH_SIZE];
    DIR *dir = opendir(path);

    for (const struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) >= (int)sizeof inner)
            continue;
        if (unlink(inner) != 0)
            remove_tree(inner);
    }
    if (dir != NULL)
        (void)closedir(dir);
    (void)rmdir(path);
}

/* ---- generators ------------------------------------------------------------ */

static frazil *open_spec(const char *spec)
{
    frazil_error err;
    frazil *gen = NULL;

    if (frazil_open(&gen, spec, &err) != FRAZIL_OK)
        complain("%s (opening %s)", err.message, quoted(spec));
    return gen;
}

frazil *bench_rig_generator(const char *layout, const char *keys)
{
    char spec[BENCH_SPEC_SIZE];

    (void)snprintf(spec, sizeof spec, "%s %s", layout, keys);
    return open_spec(spec);
}

frazil *bench_rig_kept(const struct bench_rig *rig, const char *layout, const char *keys)
{
    char spec[BENCH_SPEC_SIZE];

    (void)snprintf(spec, sizeof spec, "%s state=file run_dir='%s/run' state_dir='%s/state' %s", layout, rig->dir,
                   rig->dir, keys);
    return open_spec(spec);
}

/*
 * 16 million ids a millisecond, more than any machine takes one by one or in
 * batches, and 17 years of them, from yesterday on; and a pool of workers with as
 * many as one by one can need; and 34 years of a thousand million ids a second.
 */
static void choose_layouts(struct bench_rig *rig)
{
    int64_t yesterday = ((int64_t)time(NULL) - 86400) * 1000;

    (void)snprintf(rig->layout, sizeof rig->layout, "layout=39/1/24 tick=1ms epoch=%" PRId64, yesterday);
    (void)snprintf(rig->pool_layout, sizeof rig->pool_layout, "layout=39/7/18 tick=1ms epoch=%" PRId64, yesterday);
    (void)snprintf(rig->slow_layout, sizeof rig->slow_layout, "layout=30/1/30 tick=1s epoch=%" PRId64, yesterday);
}

bool bench_went_well(frazil_err err)
{
    if (err != FRAZIL_OK)
        complain("a measurement failed: %s", frazil_strerror(err));
    return err == FRAZIL_OK;
}

bool bench_take(frazil *gen, uint64_t count, double *ret_ns)
{
    frazil_err err = FRAZIL_OK;
    uint64_t id;
    double start = bench_worked_ns();

    for (uint64_t i = 0; i < count && err == FRAZIL_OK; i++) {
        err = frazil_next(gen, &id);
        BENCH_KEEP(&id);
    }
    *ret_ns = bench_worked_ns() - start;
    return bench_went_well(err);
}

/* So many, as the rate is taken from measurements of a millisecond or more, and two of them have to agree. */
enum { WARM_UPS = 10 };
static const double warm_up_ns = 2e6;

bool bench_warm_up(frazil *const *gens, unsigned count)
{
    frazil_err err = FRAZIL_OK;
    uint64_t id;

    for (int i = 0; i < WARM_UPS && err == FRAZIL_OK; i++) {
        double until = bench_now_ns() + warm_up_ns;
        do {
            for (unsigned which = 0; which < count && err == FRAZIL_OK; which++)
                err = frazil_next(gens[which], &id);
        } while (err == FRAZIL_OK && bench_now_ns() < until);
    }
    return bench_went_well(err);
}

static bool make_namespace(const struct bench_rig *rig, const char *url)
{
    char spec[BENCH_SPEC_SIZE];
    frazil_error err;
    int64_t opens;

    (void)snprintf(spec, sizeof spec, "%s worker=%s", rig->pool_layout, url);
    if (fz_leases_init(spec, true, &opens, &err) == FRAZIL_OK)
        return true;
    complain_error(&err);
    return false;
}

static frazil *open_leased(const struct bench_rig *rig, const char *url)
{
    char keys[BENCH_PATH_SIZE + 64];

    (void)snprintf(keys, sizeof keys, "worker=%s keeper=inline", url);
    return bench_rig_generator(rig->pool_layout, keys);
}

/* What the sources of a worker id want to be there. */
static bool prepare_sources(struct bench_rig *rig)
{
    (void)snprintf(rig->lease_url, sizeof rig->lease_url, "file://%s/leases", rig->dir);
    (void)snprintf(rig->spare_url, sizeof rig->spare_url, "file://%s/spare", rig->dir);
    return make_namespace(rig, rig->lease_url) && make_namespace(rig, rig->spare_url) &&
           setenv(BENCH_WORKER_VARIABLE, "7", 1) == 0;
}

bool bench_rig_open(struct bench_rig *rig)
{
    choose_layouts(rig);
    if (!make_dir(rig) || !prepare_sources(rig))
        return false;
    rig->gen = bench_rig_generator(rig->layout, "worker=fixed:0 state=memory");
    rig->sno = open_spec("layout=sno state=memory");
    rig->shared = bench_rig_kept(rig, rig->layout, "worker=fixed:0 keeper=inline");
    if (rig->gen == NULL || rig->sno == NULL || rig->shared == NULL)
        return false;
    for (int i = 0; i < 2; i++) {
        if (!bench_went_well(frazil_local_open(&rig->locals[i], rig->gen)))
            return false;
    }
    return bench_warm_up((frazil *const[]){rig->gen, rig->shared}, 2);
}

/*
 * Leases each worker id of both namespaces once.  To open with a lease costs more with each record that there is;
 * so there are all of them when that is measured, whether anything is held or not.
 */
static bool fill_namespaces(const struct bench_rig *rig)
{
    frazil *gens[2];

    for (int i = 0; i < BENCH_POOL; i++) {
        gens[0] = open_leased(rig, rig->lease_url);
        gens[1] = open_leased(rig, rig->spare_url);
        bool ok = gens[0] != NULL && gens[1] != NULL;
        frazil_close(gens[0]);
        frazil_close(gens[1]);
        if (!ok)
            return false;
    }
    return true;
}

/* Workers that are held on this host, and as many of a coordinator. */
static bool hold_workers(struct bench_rig *rig)
{
    for (int i = 0; i < BENCH_HELD; i++) {
        rig->held[i] = bench_rig_kept(rig, rig->pool_layout, "worker=file-lock keeper=inline");
        rig->leased[i] = open_leased(rig, rig->lease_url);
        if (rig->held[i] == NULL || rig->leased[i] == NULL)
            return false;
    }
    return true;
}

static bool open_timed(const struct bench_rig *rig, int worker, struct bench_timed *ret)
{
    char spec[BENCH_SPEC_SIZE];
    frazil_error err;

    if (!bench_went_well(frazil_manual_clock_new(&ret->clock, (int64_t)time(NULL) * 1000)))
        return false;
    const frazil_clock port = frazil_manual_clock_port(ret->clock);
    (void)snprintf(spec, sizeof spec,
                   "%s state=file run_dir='%s/run' state_dir='%s/state' worker=fixed:%d keeper=inline",
                   rig->pool_layout, rig->dir, rig->dir, worker);
    if (frazil_open_with(&ret->gen, spec, &(frazil_ports){.clock = &port}, &err) == FRAZIL_OK)
        return true;
    (void)complain_error(&err);
    return false;
}

/* An id and a grant an hour. */
static bool grow_old(const struct bench_timed *timed)
{
    const uint64_t hour_ns = UINT64_C(3600000000000);
    frazil_err err = FRAZIL_OK;
    frazil_stats stats;
    uint64_t id;

    for (int hour = 0; hour < BENCH_HOURS && err == FRAZIL_OK; hour++) {
        frazil_manual_clock_advance(timed->clock, hour_ns);
        err = frazil_next(timed->gen, &id);
    }
    frazil_get_stats(timed->gen, &stats);
    if (err == FRAZIL_OK && stats.extensions + stats.moves < BENCH_HOURS) {
        complain("in %d hours a generator had %" PRIu64 " grants only", BENCH_HOURS, stats.extensions + stats.moves);
        return false;
    }
    return bench_went_well(err);
}

static bool open_crowd(const char *layout, frazil *crowd[BENCH_CROWD])
{
    for (int i = 0; i < BENCH_CROWD; i++) {
        crowd[i] = bench_rig_generator(layout, "worker=fixed:0 state=memory");
        if (crowd[i] == NULL)
            return false;
    }
    return bench_warm_up(crowd, BENCH_CROWD);
}

static bool open_both_timed(struct bench_rig *rig)
{
    return open_timed(rig, 120, &rig->timed[0]) && open_timed(rig, 121, &rig->timed[1]) && grow_old(&rig->timed[1]);
}

bool bench_rig_open_growth(struct bench_rig *rig)
{
    if (!open_crowd(rig->slow_layout, rig->crowd) || !open_crowd(rig->layout, rig->hasty))
        return false;
    rig->pages = aligned_alloc(alignof(struct bench_page), BENCH_CROWD * sizeof *rig->pages);
    if (rig->pages == NULL) {
        complain("no memory for %d pages", BENCH_CROWD);
        return false;
    }
    rig->far = open_spec("layout=42/1/21 epoch=1970-01-01T00:00:00Z tick=1ms worker=fixed:0 state=memory");
    if (rig->far == NULL || !fill_namespaces(rig) || !hold_workers(rig) || !open_both_timed(rig))
        return false;
    return bench_warm_up((frazil *const[]){rig->far, rig->held[BENCH_HELD - 1], rig->leased[BENCH_HELD - 1]}, 3);
}

void bench_rig_close(struct bench_rig *rig)
{
    for (int i = 0; i < BENCH_CROWD; i++) {
        frazil_close(rig->crowd[i]);
        frazil_close(rig->hasty[i]);
    }
    for (int i = 0; i < BENCH_HELD; i++) {
        frazil_close(rig->held[i]);
        frazil_close(rig->leased[i]);
    }
    for (int i = 0; i < 2; i++) {
        frazil_local_close(rig->locals[i]);
        frazil_close(rig->timed[i].gen);
        frazil_manual_clock_free(rig->timed[i].clock);
    }
    free(rig->pages);
    frazil_close(rig->far);
    frazil_close(rig->shared);
    frazil_close(rig->sno);
    frazil_close(rig->gen);
    if (rig->dir[0] != '\0')
        remove_tree(rig->dir);
}
