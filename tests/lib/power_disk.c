/* SPDX-License-Identifier: MIT */
#include "lib/power_disk.h"

#include <string.h>

#include "core/sentence.h"
#include "lib/asserts.h"

static frazil_err io_error(frazil_error *reterr)
{
    fz_fail(reterr, FRAZIL_ESYS, "the disk failed");
    if (reterr != NULL)
        reterr->sys_errno = 5;
    return FRAZIL_ESYS;
}

static frazil_err enter(void *ctx, struct fz_deadline deadline, frazil_error *reterr)
{
    (void)deadline;
    struct power_disk *disk = ctx;

    assert_false(disk->is_inside);
    if (disk->is_dead || disk->locked)
        return io_error(reterr);
    disk->is_inside = true;
    return FRAZIL_OK;
}

static void leave(void *ctx)
{
    struct power_disk *disk = ctx;

    assert_true(disk->is_inside);
    disk->is_inside = false;
}

static frazil_err size(void *ctx, bool *ret_exists, uint64_t *ret_size, frazil_error *reterr)
{
    struct power_disk *disk = ctx;

    assert_true(disk->is_inside);
    if (disk->fails_reading)
        return io_error(reterr);
    *ret_exists = disk->exists;
    *ret_size = disk->size;
    return FRAZIL_OK;
}

static frazil_err read_some(void *ctx, uint64_t offset, void *buf, size_t len, frazil_error *reterr)
{
    struct power_disk *disk = ctx;

    assert_true(disk->is_inside && disk->exists && offset + len <= disk->size);
    if (disk->fails_reading)
        return io_error(reterr);
    memcpy(buf, disk->cache + offset, len);
    return FRAZIL_OK;
}

/* Counts a change.  Whether it happens; if not, it fails. */
static bool happens(struct power_disk *disk)
{
    assert_true(disk->is_inside);
    disk->changes++;
    if (disk->changes == disk->dies_at)
        disk->is_dead = true;
    return !disk->is_dead && disk->changes != disk->fails_at;
}

static frazil_err write_some(void *ctx, uint64_t offset, const void *buf, size_t len, frazil_error *reterr)
{
    struct power_disk *disk = ctx;
    bool was_dead = disk->is_dead;
    bool whole = happens(disk);
    bool killed_now = disk->is_dead && !was_dead;
    size_t done = whole ? len : killed_now ? disk->torn : 0;

    disk->is_torn = disk->is_torn || killed_now;
    assert_true(disk->exists && offset + len <= disk->size && len == POWER_DISK_WRITE_SIZE);
    if (done > 0) {
        memcpy(disk->cache + offset, buf, done);
        assert_true(disk->pending_count < POWER_DISK_WRITES);
        struct power_disk_write *write = &disk->pending[disk->pending_count++];
        write->offset = offset;
        memcpy(write->bytes, disk->cache + offset, len);
    }
    return whole ? FRAZIL_OK : io_error(reterr);
}

static frazil_err sync_all(void *ctx, frazil_error *reterr)
{
    struct power_disk *disk = ctx;
    bool synced = happens(disk);

    if (!synced && disk->is_dead)
        return io_error(reterr);
    for (unsigned i = 0; synced && i < disk->pending_count; i++)
        memcpy(disk->durable + disk->pending[i].offset, disk->pending[i].bytes, POWER_DISK_WRITE_SIZE);
    if (synced)
        disk->name_is_pending = false;
    disk->pending_count = 0; /* lost, if it failed, and no later sync will write it */
    disk->syncs += synced;
    return synced ? FRAZIL_OK : io_error(reterr);
}

static frazil_err create(void *ctx, const void *content, size_t len, frazil_error *reterr)
{
    struct power_disk *disk = ctx;

    assert_int_equal(len, POWER_DISK_SIZE);
    bool was_dead = disk->is_dead;
    bool whole = happens(disk);
    if (was_dead)
        return io_error(reterr);
    disk->name_is_pending = !whole;
    disk->exists = true;
    disk->size = len;
    disk->pending_count = 0;
    memcpy(disk->cache, content, len);
    memcpy(disk->durable, content, len);
    return whole ? FRAZIL_OK : io_error(reterr);
}

static frazil_err has_others(void *ctx, bool *ret, frazil_error *reterr)
{
    struct power_disk *disk = ctx;

    assert_true(disk->is_inside);
    if (disk->fails_looking)
        return io_error(reterr);
    *ret = disk->has_others;
    return FRAZIL_OK;
}

static void after_fork(void *ctx)
{
    ((struct power_disk *)ctx)->is_inside = false;
}

static void close_disk(void *ctx)
{
    ((struct power_disk *)ctx)->is_dead = true;
}

struct fz_file_port power_disk_port(struct power_disk *disk)
{
    return (struct fz_file_port){.ctx = disk,
                                 .name = "/disk/worker-7.grant",
                                 .enter = enter,
                                 .leave = leave,
                                 .size = size,
                                 .read = read_some,
                                 .write = write_some,
                                 .sync = sync_all,
                                 .create = create,
                                 .has_others = has_others,
                                 .after_fork = after_fork,
                                 .close = close_disk};
}

void power_disk_restart(struct power_disk *disk)
{
    disk->changes = disk->dies_at = disk->fails_at = 0;
    disk->fails_reading = disk->fails_looking = disk->locked = disk->is_dead = disk->is_torn = disk->is_inside = false;
}

unsigned power_disk_pending(const struct power_disk *disk)
{
    return disk->pending_count + disk->name_is_pending;
}

void power_disk_lose_power(struct power_disk *disk, unsigned kept, size_t torn)
{
    unsigned last = POWER_DISK_WRITES;

    for (unsigned i = 0; i < disk->pending_count; i++) {
        if ((kept >> i & 1) != 0)
            last = i;
    }
    for (unsigned i = 0; i < disk->pending_count; i++) {
        if ((kept >> i & 1) != 0)
            memcpy(disk->durable + disk->pending[i].offset, disk->pending[i].bytes,
                   i == last ? torn : POWER_DISK_WRITE_SIZE);
    }
    if (disk->name_is_pending && (kept >> disk->pending_count & 1) == 0)
        disk->exists = false;
    disk->name_is_pending = false;
    disk->pending_count = 0;
    memcpy(disk->cache, disk->durable, sizeof disk->cache);
    power_disk_restart(disk);
}
