/* SPDX-License-Identifier: MIT */
/*
 * The changes of a program to the files below one folder, written down call by call,
 * and the states in which a loss of power can leave them.
 *
 * Only what POSIX promises is taken for granted: what was written into a file is
 * there for certain once the file was synced, and a name is once its directory
 * was.  Of all else any subset may be there: of names each one by itself, of data
 * each sector by itself and how long the file is.  A sync of a file that failed proves
 * nothing about what was written before it, and neither does the next one: the kernel
 * has given that up.  Names it does not give up.
 */
#ifndef TESTS_FAULTS_DISK_LOG_H
#define TESTS_FAULTS_DISK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DISK_NODES = 32,
    DISK_FILE_MAX = 8192,
    DISK_PATH_MAX = 160,
    DISK_OPS = 256,
    DISK_ATOMS = 16,
    DISK_SECTOR = 512,
    DISK_BLOCK = 4096,
    DISK_WHOLE = -1, /* in place of a sector */
    DISK_LENGTH = -2
};

/* A part of a change that can be lost by itself. */
struct disk_atom {
    unsigned op;
    int sector; /* or DISK_WHOLE: of a name; DISK_LENGTH: that the file is so long */
};

/* The state of the one sector that was being written. */
enum disk_tear {
    DISK_TEAR_NONE,
    DISK_TEAR_PREFIX, /* new up to the cut, old behind it */
    DISK_TEAR_SUFFIX, /* the other way round */
    DISK_TEAR_ZEROS,  /* the sector is zeros */
    DISK_TEAR_JUNK,   /* is nothing that anybody ever wrote */
    DISK_TEAR_BLOCK   /* and so is the block around it */
};

/* One way in which it can end. */
struct disk_outcome {
    unsigned ops;  /* how many have begun */
    unsigned kept; /* a bit for each atom: it is on the disk */
    enum disk_tear tear;
    unsigned torn; /* which atom */
    size_t cut;
};

/* Begins to write down what happens below a folder, all of which is durable now.  One log at a time. */
void disk_log_begin(const char *root);

/* Puts into the folder what an outcome has left of it. */
void disk_log_restart(const struct disk_outcome *outcome);

/* Stops; the log stays. */
void disk_log_stop(void);

/* Sets all of the log aside, and takes it up again. */
void disk_log_push(void);
void disk_log_pop(void);

/* How many changes there are. */
unsigned disk_log_len(void);

/* The fate of a process at a change. */
enum disk_fate {
    DISK_LIVES,
    DISK_DIES, /* at that change, and nothing happens any more */
    DISK_FAILS /* that change does, once */
};

/* The change that would be number `at`, counted from 1, meets that fate. */
void disk_log_doom(enum disk_fate fate, unsigned at);
bool disk_log_is_dead(void);

/* The parts of the first `ops` changes that may be missing; at most DISK_ATOMS, or the test fails. */
unsigned disk_log_atoms(unsigned ops, struct disk_atom atoms[DISK_ATOMS]);

/* A number that tells outcomes with different files from each other. */
uint64_t disk_log_hash(const struct disk_outcome *outcome);

/* The bytes that survive in a file, however much power is lost.  Returns their number; 0: the file may not be there. */
size_t disk_log_certain(const char *path, unsigned char bytes[DISK_FILE_MAX]);

/* After a test.  One that failed has left logs that were set aside: prints them, with what has become of each change.
 */
void disk_log_end(void);

/* Each test of a file has a folder, `scratch`, and a disk in it, `root`.  Needs lib/test.h and lib/scratch.h, and takes
 * the place of BEFORE_EACH and AFTER_EACH. */
#define EACH_ON_LOGGED_DISK                                                                                            \
    static const char *scratch;                                                                                        \
    static char root[DISK_PATH_MAX];                                                                                   \
    BEFORE_EACH                                                                                                        \
    {                                                                                                                  \
        scratch = scratch_make();                                                                                      \
        assert_true(snprintf(root, sizeof root, "%s/disk", scratch) < (int)sizeof root);                               \
    }                                                                                                                  \
    AFTER_EACH                                                                                                         \
    {                                                                                                                  \
        disk_log_end();                                                                                                \
        scratch_remove(scratch);                                                                                       \
    }

/* ---- for the calls ----------------------------------------------------------- */

/* The fate at a change: unless the process lives, the call fails. */
enum disk_fate disk_log_fate(void);

/* Notes of calls; fd as the kernel gave it. */
void disk_log_opened(int fd, const char *path, int flags);
void disk_log_closed(int fd);
void disk_log_made_dir(const char *path);
void disk_log_wrote(int fd, uint64_t offset, const void *bytes, size_t len);
void disk_log_appended(int fd, const void *bytes, size_t len);
void disk_log_resized(int fd, uint64_t size);
void disk_log_synced(int fd, bool well);
void disk_log_renamed(const char *from, const char *to);
void disk_log_unlinked(const char *path);

#endif
