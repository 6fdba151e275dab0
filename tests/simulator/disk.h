/* SPDX-License-Identifier: MIT */
/*
 * The disk of a simulated host: files of two pages, of which what was written
 * and not synced may be lost in any order, or half of it, when power is lost.
 */
#ifndef SIMULATOR_DISK_H
#define SIMULATOR_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oracle.h"

/* DISK_FILES_OF_ONE: that one state directory has at the most. */
enum {
    DISK_FILES_MAX = 24,
    DISK_FILES_OF_ONE = 10,
    DISK_FILE_SIZE = 8192,
    DISK_WRITE_SIZE = 512,
    DISK_WRITES_MAX = 16,
    DISK_HOLDERS_MAX = 32
};

struct disk_write {
    uint64_t offset;
    unsigned char bytes[DISK_WRITE_SIZE];
};

struct disk_file {
    char path[128];
    bool exists;
    bool name_is_durable;
    uint64_t inode; /* another one after it was replaced */
    uint32_t worker;
    struct bounds bounds; /* that its name says */
    unsigned char durable[DISK_FILE_SIZE];
    unsigned char cache[DISK_FILE_SIZE];
    struct disk_write pending[DISK_WRITES_MAX];
    unsigned pending_count;
    bool was_lost; /* it is not what its owners left: an older copy, or gone; until one of them has written it again */
    bool is_bad;   /* damaged or somebody else's: nobody may use it */
    uint64_t entered_by; /* an open file */
    struct {
        uint64_t file;
        uint64_t inode;
    } holders[DISK_HOLDERS_MAX];

    bool has_copy;
    unsigned char copy[DISK_FILE_SIZE];  /* that somebody has put away */
    unsigned char right[DISK_FILE_SIZE]; /* its bytes before it was spoilt */
};

enum disk_trouble { DISK_WELL, DISK_IS_FULL, DISK_IS_READ_ONLY };

struct host;

struct disk {
    struct disk_file files[DISK_FILES_MAX];
    uint64_t inodes;
    enum disk_trouble trouble;
    bool fails_next_sync;
    uint64_t sync_ns;
};

/* The file with that path, made up if nobody asked for it before.  NULL: there are too many. */
struct disk_file *disk_file(struct host *host, const char *path);

/* Power is lost. */
void disk_lose_power(struct disk *disk);

/* Puts away what the file holds durably; puts that back in place of what is there now, as another file. */
void disk_put_away(struct disk_file *file);
void disk_put_back(struct disk *disk, struct disk_file *file);

/* Spoils a file: it is damaged, or what is there is of another worker or layout. */
void disk_damage(struct disk *disk, struct disk_file *file);
void disk_replace_by_foreign(struct disk *disk, struct disk_file *file);

/* Puts the right file back in place of a spoilt one. */
void disk_repair(struct disk *disk, struct disk_file *file);

/* It is removed, durably. */
void disk_remove(struct disk_file *file);

/* Writes, without syncing.  False: the disk does not let anybody. */
bool disk_write(struct host *host, struct disk_file *file, uint64_t offset, const void *bytes, size_t len);

/* Makes everything durable that was written, and the file's name.  False: the disk failed. */
bool disk_sync(struct host *host, struct disk_file *file);

/* Makes the file, which must not be there, with that content; its name is not durable yet.  False: the disk does not.
 */
bool disk_create(struct host *host, struct disk_file *file, const void *content, size_t len);

#endif
