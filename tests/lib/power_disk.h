/* SPDX-License-Identifier: MIT */
/*
 * A disk in memory with one file on it, behind the file port.  Bytes that were written
 * and not synced may be lost in any order, or half of them, when power is lost.  A
 * process can be killed in the middle of a call.  A sync can fail: then the bytes
 * are lost although they can still be read, as Linux does it.
 */
#ifndef FRAZIL_TESTS_LIB_POWER_DISK_H
#define FRAZIL_TESTS_LIB_POWER_DISK_H

#include "lease/file_port.h"

enum { POWER_DISK_SIZE = 8192, POWER_DISK_WRITES = 8, POWER_DISK_WRITE_SIZE = 512 };

struct power_disk_write {
    uint64_t offset;
    unsigned char bytes[POWER_DISK_WRITE_SIZE];
};

/* All zero: an empty disk on which nothing fails. */
struct power_disk {
    bool exists;
    uint64_t size;
    unsigned char durable[POWER_DISK_SIZE];
    unsigned char cache[POWER_DISK_SIZE]; /* the bytes that a read returns */
    struct power_disk_write pending[POWER_DISK_WRITES];
    unsigned pending_count;
    bool name_is_pending;

    /* Faults.  Calls that change something are counted from 1: write, sync, create. */
    unsigned changes;
    unsigned dies_at; /* in this one the process is killed: of a write `torn` bytes happen, of create as for fails_at,
                         of sync nothing */
    size_t torn;
    unsigned fails_at;  /* this one fails; of a write nothing happens, of create all but that the name is durable */
    bool fails_reading; /* every read does */
    bool fails_looking; /* looking for others fails */
    bool locked;        /* somebody is inside and stays there */
    bool has_others;
    bool is_dead;
    bool is_torn; /* it was a write in which it was killed */

    bool is_inside;
    unsigned syncs;
};

/* The port of a disk. */
struct fz_file_port power_disk_port(struct power_disk *disk);

/* How many bits `kept` has at present. */
unsigned power_disk_pending(const struct power_disk *disk);

/* Another process begins: what was cached stays, the faults are gone. */
void power_disk_restart(struct power_disk *disk);

/*
 * Power is lost and comes back.  A pending write is on the disk if its bit is set
 * in `kept`; of the last one of these only `torn` bytes are.  A pending name of the
 * file is there if the bit above these is set.
 */
void power_disk_lose_power(struct power_disk *disk, unsigned kept, size_t torn);

#endif
