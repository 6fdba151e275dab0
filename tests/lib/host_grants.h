/* SPDX-License-Identifier: MIT */
/*
 * Processes of one host that have their grants from one file on a power_disk,
 * for tests of what they are granted.
 */
#ifndef FRAZIL_TESTS_LIB_HOST_GRANTS_H
#define FRAZIL_TESTS_LIB_HOST_GRANTS_H

#include "lease/grant_file.h"
#include "lib/power_disk.h"

enum { RESERVE = 100, NOW = 10000, YEAR_2106 = 900000000 };

/* The disk of all of them. */
extern struct power_disk host_disk;

/* Makes the disk empty and sound, as each test of it begins. */
void host_empty_disk(void);

struct host_process {
    struct fz_grant_file file;
    struct fz_granter granter;
    struct fz_grant grant; /* the last one */
};

/* Begins; those with the same nonce share a word.  Worker 7, device 25, process 100 + nonce. */
void host_start(struct host_process *process, uint64_t nonce);

/* The call succeeds.  Fails the test otherwise. */
void host_acquire(struct host_process *process, uint64_t now);
void host_extend(struct host_process *process, uint64_t now);

/* The present grant is this one. */
void host_assert_grant(const struct host_process *process, uint64_t floor, uint64_t until);

/* The sentence has all of these parts; NULL ends them. */
void host_assert_says(const frazil_error *err, const char *const *parts);

/* The call (extend, or acquire) fails, changes neither disk nor grant, and its sentence has these parts. */
void host_assert_refused(struct host_process *process, bool extends, uint64_t now, frazil_err code,
                         const char *const *parts);

#endif
