/* SPDX-License-Identifier: MIT */
/*
 * The host directory of a simulated host, in memory: files of one page, each of one user, with locks that belong to
 * open files.  The library's own claim.c runs over it (rooms/stand_in_files.h).
 */
#ifndef SIMULATOR_CLAIMS_H
#define SIMULATOR_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

enum { CLAIM_FILES_MAX = 48, CLAIM_OPENERS_MAX = 24 };

struct host;
struct page;

struct claim_file {
    bool has_name;     /* nobody has removed it */
    struct page *page; /* NULL: there is none */
    char path[160];
    unsigned uid;
    unsigned mode; /* tells whether it is finished */
    uint64_t inode;
    uint64_t size;
    struct {
        uint64_t file; /* an open file; 0: none */
        int lock;      /* LOCK_SH, LOCK_EX or 0 */
    } openers[CLAIM_OPENERS_MAX];
};

/* The files are in memory: all are lost. */
void claims_lose_power(struct host *host);

/* Removes those of a user.  False: there are none. */
bool claims_remove(struct host *host, unsigned uid);

/* The name of a file if it lies in that folder; NULL: it does not, or there is none. */
const char *claims_name_in(const struct claim_file *file, const char *folder);

#endif
