/* SPDX-License-Identifier: MIT */
/* How a log of changes is kept; see disk_log.h. */
#ifndef TESTS_FAULTS_DISK_LOG_INTERNAL_H
#define TESTS_FAULTS_DISK_LOG_INTERNAL_H

#include <sys/types.h>

#include "faults/disk_log.h"

enum { FDS = 1024, NOT_THERE = -1, ROOT = 0, WRITTEN_MAX = 65536 };

enum kind { NAMED, RENAMED, UNLINKED, RESIZED, WROTE, SYNCED, SYNC_FAILED };

/* A change.  Of names: name in directory `parent`; of files: to node. */
struct op {
    enum kind kind;
    int node;
    int parent;
    int name;  /* where it is in names */
    int other; /* the one that is given up by a rename */
    uint64_t offset;
    size_t len;
    size_t bytes; /* where in the log's they are */
    bool grows;
    uint32_t changed; /* a bit for each sector of it that was not like that before */
};

struct node {
    bool is_dir;
    size_t size;
    unsigned char bytes[DISK_FILE_MAX];
};

/* A disk: what has which name, and what is in it. */
struct disk {
    int at[DISK_NODES]; /* by name: its node */
    struct node node[DISK_NODES];
};

struct disk_log {
    char root[DISK_PATH_MAX];
    bool on;
    enum disk_fate fate;
    unsigned doomed_at;
    bool dead;
    unsigned ops;
    struct op op[DISK_OPS];
    size_t written; /* so much of bytes */
    unsigned char bytes[WRITTEN_MAX];
    int names;
    char name[DISK_NODES][DISK_PATH_MAX]; /* below the root; name 0 is the root itself */
    int name_parent[DISK_NODES];          /* the name of its directory */
    int nodes;
    struct disk base; /* at the beginning */
    struct disk now;
    int fd_node[FDS];
    off_t fd_at[FDS];
    struct disk_outcome ended; /* how it did, the last time */
};

/* The log at hand. */
extern struct disk_log *disk_log_now;

/* The part of a path below the root, NULL if it is elsewhere. */
const char *disk_log_below(const char *path);

/* The number of a name below the root; it gets one if it has none. */
int disk_log_name(const char *rest);

/* Applies a write or a new size to a file. */
void disk_log_change(struct node *node, const struct op *op);

/* The bytes for its sector of that number. */
const unsigned char *disk_log_bytes(const struct op *op, int sector);

/* How many bytes of a write lie in its sector of that number. */
size_t disk_log_sector_len(const struct op *op, int sector);

/* Prints the changes, and what the last outcome has kept of each. */
void disk_log_print(void);

#endif
