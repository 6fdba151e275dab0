/* SPDX-License-Identifier: MIT */
/* The guards of simulated hosts, and the locks of worker numbers: locks that end with their process.  Nobody queues,
 * chance decides who is next. */
#include <errno.h>
#include <stdio.h>

#include "core/sentence.h"
#include "faults.h"
#include "host.h"
#include "os/deadline.h"
#include "os/guard.h"
#include "os/worker_lock.h"
#include "process.h"
#include "shared_memory.h"
#include "world.h"

int fz_guard_open(struct fz_guard *ret, const char *path)
{
    faults_call(2 * US);
    int err = fz_path_join(ret->path, path, ".lock", "");
    if (err == 0)
        ret->file.fd = (int)file_open();
    return err;
}

/* The file is made when it is first locked; whoever is dead has left. */
static struct run_file *guard_file(const struct fz_guard *guard)
{
    struct run_file *file = host_run_file(self()->host, guard->path);

    return file != NULL ? file : host_make_run_file(self()->host, guard->path);
}

static bool guard_is_held(const struct run_file *file, uint64_t by)
{
    return file->locked_by != 0 && file->locked_by != by && file_is_open(self()->host, file->locked_by);
}

static int guard_enter_wished(struct fz_guard *guard, const struct fz_guard_wish *wish)
{
    uint64_t pause_ns = MS;

    faults_call(2 * US);
    for (;;) {
        struct run_file *file = guard_file(guard);
        if (file == NULL)
            return ENOSPC;
        if (!guard_is_held(file, (uint64_t)guard->file.fd)) {
            file->locked_by = (uint64_t)guard->file.fd;
            return 0;
        }
        uint64_t left_ns = fz_deadline_left_ns(wish->deadline);
        if (left_ns == 0)
            return FZ_GUARD_HELD;
        if (wish->gives_up != NULL && wish->gives_up(wish->ctx))
            return ECANCELED;
        faults_call(pause_ns < left_ns ? pause_ns : left_ns);
        pause_ns = pause_ns < 32 * MS ? 2 * pause_ns : pause_ns;
    }
}

int fz_guard_enter(struct fz_guard *guard, struct fz_deadline deadline)
{
    const struct fz_guard_wish wish = {.deadline = deadline};

    return guard_enter_wished(guard, &wish);
}

int fz_guard_open_and_enter_wished(struct fz_guard *ret, const char *path, const struct fz_guard_wish *wish)
{
    int err = fz_guard_open(ret, path);

    if (err == 0)
        err = guard_enter_wished(ret, wish);
    if (err != 0 && ret->file.fd >= 0)
        fz_guard_close(ret);
    return err;
}

int fz_guard_open_and_enter(struct fz_guard *ret, const char *path, struct fz_deadline deadline)
{
    const struct fz_guard_wish wish = {.deadline = deadline};

    return fz_guard_open_and_enter_wished(ret, path, &wish);
}

void fz_guard_leave(struct fz_guard *guard)
{
    faults_call(2 * US);
    struct run_file *file = host_run_file(self()->host, guard->path);
    if (file != NULL && file->locked_by == (uint64_t)guard->file.fd)
        file->locked_by = 0;
}

void fz_guard_leave_for_good(struct fz_guard *guard)
{
    fz_guard_leave(guard);
    fz_guard_close(guard);
}

void fz_guard_close(struct fz_guard *guard)
{
    if (guard->file.fd >= 0)
        file_close((uint64_t)guard->file.fd);
    guard->file.fd = -1;
}

/* ---- worker numbers --------------------------------------------------------------------------- */

frazil_err fz_worker_lock_take(struct fz_worker_lock *ret, const char *directory, uint32_t base, uint32_t count,
                               frazil_error *reterr)
{
    for (uint32_t i = 0; i < count; i++) {
        struct fz_guard lock = {.file = FZ_KEPT_NONE};
        faults_call(5 * US);
        if (snprintf(lock.path, sizeof lock.path, "%s/worker-%u.lock", directory, (unsigned)(base + i)) < 0)
            return FRAZIL_ESYS;
        struct run_file *file = guard_file(&lock);
        if (file == NULL || guard_is_held(file, 0))
            continue;
        file->locked_by = file_open();
        *ret = (struct fz_worker_lock){.file = {.fd = (int)file->locked_by}, .worker = base + i};
        return FRAZIL_OK;
    }
    return fz_fail(reterr, FRAZIL_EPOOL, "all worker ids are taken on this host");
}

void fz_worker_lock_release(struct fz_worker_lock *lock)
{
    file_close((uint64_t)lock->file.fd);
    lock->file.fd = -1;
}
