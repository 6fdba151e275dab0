/* SPDX-License-Identifier: MIT */
/*
 * A directory for the files of one test.
 *
 *   const char *dir = scratch_make();
 *   ... scratch_path(dir, "a/file") ...
 *   scratch_remove(dir);
 *
 * Where each test of a file wants one: EACH_IN_SCRATCH once, which names it `scratch`; where it wants a host's
 * directory as well, and generators that keep state: EACH_ON_SCRATCH_HOST, which names that `host`.
 */
#ifndef FRAZIL_TESTS_LIB_SCRATCH_H
#define FRAZIL_TESTS_LIB_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Needs lib/test.h, and takes the place of BEFORE_EACH and AFTER_EACH. */
#define EACH_IN_SCRATCH                                                                                                \
    static const char *scratch;                                                                                        \
    BEFORE_EACH                                                                                                        \
    {                                                                                                                  \
        scratch = scratch_make();                                                                                      \
    }                                                                                                                  \
    AFTER_EACH                                                                                                         \
    {                                                                                                                  \
        scratch_remove(scratch);                                                                                       \
    }

#define EACH_ON_SCRATCH_HOST                                                                                           \
    static const char *scratch;                                                                                        \
    static const char *host;                                                                                           \
    BEFORE_EACH                                                                                                        \
    {                                                                                                                  \
        scratch = scratch_make();                                                                                      \
        host = scratch_host(scratch);                                                                                  \
        unsetenv("FRAZIL_STATE");                                                                                      \
    }                                                                                                                  \
    AFTER_EACH                                                                                                         \
    {                                                                                                                  \
        scratch_remove(scratch);                                                                                       \
    }

/* Makes an empty directory with a name of its own.  Never NULL: fails the test instead. */
const char *scratch_make(void);

/* From now on scratch_make makes it in memory, where a machine has a folder for that: most disks are slow to sync. */
void scratch_prefer_memory(void);

/* "DIR/name", in one of a few buffers that take turns. */
const char *scratch_path(const char *dir, const char *name);

/* Makes DIR/host, in which everybody may make files, as in /dev/shm.  The path is there until the next one is made. */
const char *scratch_host(const char *dir);

/* Writes a file, in place of one that is there. */
void scratch_write(const char *path, const void *bytes, size_t len);

/* Reads a file of at most size bytes and returns how many there were. */
size_t scratch_read(const char *path, void *bytes, size_t size);

/* Whether there is something of that name. */
bool scratch_exists(const char *path);

/* Removes what has that path and all that is in it. */
void scratch_delete(const char *path);

/* Removes the directory and all that is in it. */
void scratch_remove(const char *dir);

/* How many descriptors this process has open, which may not grow over what a test does. */
unsigned scratch_open_fds(void);

#endif
