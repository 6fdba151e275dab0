/* SPDX-License-Identifier: MIT */
#include "disk.h"

#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "lease/grant_record.h"
#include "oracle.h"
#include "story.h"
#include "world.h"

/* Which sequence numbers the file with that name is for. */
static struct bounds bounds_of_name(const char *path)
{
    static const char state_dir[] = "/var/lib/frazil";
    const char *name = strrchr(path, '/') + 1;
    struct bounds bounds = {.first = 0, .last = oracle_largest_sequence()};
    char *end;

    bounds.state_dir = (unsigned)strtoul(path + sizeof state_dir - 1, NULL, 10); /* 0: there is no number */
    if (strchr(name, '.') != NULL)
        return bounds;
    bounds.first = strtoull(name, &end, 10);
    bounds.last = strtoull(end + 1, NULL, 10);
    return bounds;
}

struct disk_file *disk_file(struct host *host, const char *path)
{
    for (unsigned i = 0; i < DISK_FILES_MAX && strlen(path) < sizeof host->disk.files[i].path; i++) {
        struct disk_file *file = &host->disk.files[i];
        if (strcmp(file->path, path) == 0)
            return file;
        if (file->path[0] == '\0') {
            memcpy(file->path, path, strlen(path) + 1);
            file->bounds = bounds_of_name(path);
            return file;
        }
    }
    return NULL;
}

/* ---- its faults -------------------------------------------------------- */

/* Each write that was not synced is kept or lost, whatever becomes of those before it; the last one perhaps in part. */
static void lose_writes(struct disk_file *file)
{
    for (unsigned i = 0; i < file->pending_count; i++) {
        const struct disk_write *write = &file->pending[i];
        if (once_in(2)) {
            tell(STRUCK_WRITE_LOST, 0, 0, 0);
            continue;
        }
        size_t len = DISK_WRITE_SIZE;
        if (i + 1 == file->pending_count && once_in(2)) {
            len = pick(DISK_WRITE_SIZE);
            tell(STRUCK_WRITE_TORN, len, 0, 0);
        }
        memcpy(file->durable + write->offset, write->bytes, len);
    }
    file->pending_count = 0;
}

void disk_lose_power(struct disk *disk)
{
    for (unsigned i = 0; i < DISK_FILES_MAX; i++) {
        struct disk_file *file = &disk->files[i];
        if (file->path[0] == '\0')
            break;
        lose_writes(file);
        if (file->exists && !file->name_is_durable && once_in(2)) {
            tell(STRUCK_NAME_LOST, 0, 0, 0);
            file->exists = false;
        }
        file->name_is_durable = file->exists;
        memcpy(file->cache, file->durable, sizeof file->cache);
        memset(file->holders, 0, sizeof file->holders);
        file->entered_by = 0;
    }
}

static void set_content(struct disk *disk, struct disk_file *file, const unsigned char *content)
{
    memcpy(file->durable, content, DISK_FILE_SIZE);
    memcpy(file->cache, content, DISK_FILE_SIZE);
    file->pending_count = 0;
    file->exists = file->name_is_durable = true;
    file->inode = ++disk->inodes;
}

void disk_put_away(struct disk_file *file)
{
    memcpy(file->copy, file->durable, sizeof file->copy);
    file->has_copy = true;
}

void disk_put_back(struct disk *disk, struct disk_file *file)
{
    set_content(disk, file, file->copy);
    file->was_lost = true;
}

void disk_damage(struct disk *disk, struct disk_file *file)
{
    unsigned char damaged[DISK_FILE_SIZE];

    memcpy(file->right, file->cache, sizeof file->right);
    memcpy(damaged, file->cache, sizeof damaged);
    for (unsigned slot = 0; slot < 2; slot++) {
        size_t at = slot * (DISK_FILE_SIZE / 2) + pick(FZ_GRANT_SLOT_SIZE);
        damaged[at] = (unsigned char)(damaged[at] ^ (1 + pick(255)));
    }
    set_content(disk, file, damaged);
    file->is_bad = true;
}

/* A file like this one, but for the worker or the layout; the checksum is right. */
void disk_replace_by_foreign(struct disk *disk, struct disk_file *file)
{
    unsigned char foreign[DISK_FILE_SIZE] = {0};
    bool other_layout = once_in(2);

    memcpy(file->right, file->cache, sizeof file->right);
    for (unsigned slot = 0; slot < 2; slot++) {
        unsigned char *at = foreign + slot * (DISK_FILE_SIZE / 2);
        struct fz_grant_record record;
        uint64_t version;
        if (fz_grant_record_decode(file->cache + slot * (DISK_FILE_SIZE / 2), &record, &version) != FZ_GRANT_SLOT_VALID)
            continue;
        if (other_layout)
            record.fingerprint[0] ^= 1;
        else
            record.worker++;
        fz_grant_record_encode(&record, at);
    }
    set_content(disk, file, foreign);
    file->is_bad = true;
}

void disk_repair(struct disk *disk, struct disk_file *file)
{
    set_content(disk, file, file->right);
    file->is_bad = false;
}

void disk_remove(struct disk_file *file)
{
    file->exists = file->name_is_durable = false;
    file->pending_count = 0;
    file->was_lost = true;
}

/* ---- its use ------------------------------------------------------- */

static uint64_t number_at(const unsigned char *bytes)
{
    uint64_t number = 0;

    for (unsigned i = 0; i < 8; i++)
        number |= (uint64_t)bytes[i] << 8 * i;
    return number;
}

/* Tells the oracle the durable grant of the file, as its format says it (and not as the library reads it). */
static void note_durable(const struct host *host, struct disk_file *file)
{
    for (unsigned slot = 0; slot < 2; slot++) {
        const unsigned char *bytes = file->durable + slot * (DISK_FILE_SIZE / 2);
        if (memcmp(bytes, "fzgrant", 8) != 0)
            continue;
        file->worker = (uint32_t)number_at(bytes + 24);
        oracle_recorded(file->worker, file->bounds, number_at(bytes + 64));
        tell(TOLD_STORES, host->number, file->worker, number_at(bytes + 64));
    }
    file->was_lost = false;
}

static bool may_write(const struct host *host)
{
    return host->disk.trouble == DISK_WELL;
}

bool disk_write(struct host *host, struct disk_file *file, uint64_t offset, const void *bytes, size_t len)
{
    if (!may_write(host) || len != DISK_WRITE_SIZE || offset + len > DISK_FILE_SIZE ||
        file->pending_count == DISK_WRITES_MAX)
        return false;
    memcpy(file->cache + offset, bytes, len);
    file->pending[file->pending_count].offset = offset;
    memcpy(file->pending[file->pending_count++].bytes, bytes, len);
    return true;
}

/* After a sync that failed, what was written can be read, and will never reach the disk. */
bool disk_sync(struct host *host, struct disk_file *file)
{
    bool works = may_write(host) && !host->disk.fails_next_sync;

    if (host->disk.fails_next_sync)
        tell(STRUCK_DISK_FAILS, host->number, 0, 0);
    host->disk.fails_next_sync = false;
    for (unsigned i = 0; works && i < file->pending_count; i++)
        memcpy(file->durable + file->pending[i].offset, file->pending[i].bytes, DISK_WRITE_SIZE);
    file->pending_count = 0;
    if (!works)
        return false;
    file->name_is_durable = true;
    note_durable(host, file);
    return true;
}

bool disk_create(struct host *host, struct disk_file *file, const void *content, size_t len)
{
    bool replaces = file->exists;

    if (!may_write(host) || len != DISK_FILE_SIZE)
        return false;
    set_content(&host->disk, file, content);
    file->name_is_durable = replaces;
    return true;
}
