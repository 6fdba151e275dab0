/* SPDX-License-Identifier: MIT */
/*
 * The two directories that a generator keeps files in: the run directory for
 * what must be gone after a boot (words, locks), the state directory for what
 * must not (grants).
 *
 * The first of these that is there wins:
 * - the path that the caller names;
 * - RUNTIME_DIRECTORY and STATE_DIRECTORY, as systemd sets them for a service (the
 *   first of several);
 * - for root, /run/frazil and /var/lib/frazil;
 * - XDG_RUNTIME_DIR/frazil and XDG_STATE_HOME/frazil;
 * - for a state directory, /var/lib/frazil-UID if root has made it, else
 *   ~/.local/state/frazil;
 * - for a run directory without a session (in a container, from cron),
 *   /dev/shm/frazil-UID.
 * The portable build takes /var/run/frazil and /tmp/frazil-UID instead.
 *
 * A program that runs with more rights than its user (set-user-ID) believes none
 * of these variables.
 *
 * A directory that is used belongs to the effective user or to root, and so does a
 * symbolic link in its place.  Others may not write to it, except where each user
 * may remove its own files only (the sticky bit, as /tmp has it).  The one in /dev/shm
 * must be the user's alone, closed to others and no link, as anybody could have
 * made it.  The directories above are not looked at.
 */
#ifndef FZ_OS_DIRS_H
#define FZ_OS_DIRS_H

#include "file.h"
#include <stdbool.h>
#include <stdint.h>

#include "frazil/error.h"

/* The run directory of root, and the beginning of that of a user without a session, whose number follows. */
enum { FZ_RUN_DIR_SIZE = 20 };
extern const char fz_run_dir_of_root[FZ_RUN_DIR_SIZE];
extern const char fz_run_dir_of_users[FZ_RUN_DIR_SIZE];

enum fz_dir {
    FZ_DIR_RUN,
    FZ_DIR_LEASE, /* the run directory, for the word of a lease that processes share */
    FZ_DIR_STATE,
    FZ_DIR_URL, /* a folder that a URL names: as durable as the state directory, and without a default */
    FZ_DIR_TREE /* the same of konayuki's, which makes the folders above it, too: its settings go on working here */
};

/*
 * Which directory it is.  wanted: what the caller named, NULL or empty if
 * nothing.  FRAZIL_ESPEC: there is no default here, or the path is not absolute
 * (it would be another one after a chdir) or too long.  Touches no file.
 */
FZ_PRIVATE frazil_err fz_dir_find(char ret_path[FZ_PATH_SIZE], enum fz_dir which, const char *wanted,
                                  frazil_error *reterr);

/*
 * The same, and makes it (mode 0700: its files are for one user alone) if it is
 * not there.  Of a path that the user named it makes only the last component, so
 * that a misspelt path does not grow a tree (FZ_DIR_TREE: all of them).  Of a
 * home's default it makes all that is frazil's or XDG's.  A state directory is
 * still there after a loss of power, whichever process made it.  FRAZIL_ESYS: it cannot be made, is no directory,
 * others have it in their hands, nothing can be written in it, or the disk failed.
 */
FZ_PRIVATE frazil_err fz_dir_prepare(char ret_path[FZ_PATH_SIZE], enum fz_dir which, const char *wanted,
                                     frazil_error *reterr);

/*
 * The same for a folder of that name in the directory; both are made if they are not there.  Each is looked at once.
 * If the folder exists, the directory above it need not be writable.
 */
FZ_PRIVATE frazil_err fz_dir_prepare_inside(char ret_path[FZ_PATH_SIZE], enum fz_dir which, const char *wanted,
                                            const char *name, frazil_error *reterr);

/*
 * Whether fz_dir_prepare would succeed, or with a name fz_dir_prepare_inside, as far as a look can tell: makes nothing.
 * The same errors with the same sentences.
 */
FZ_PRIVATE frazil_err fz_dir_look(enum fz_dir which, const char *wanted, const char *name, frazil_error *reterr);

/* 0 if a directory that is missing can be made, by at most `makes` components of its path; or an errno.  Makes none. */
FZ_PRIVATE int fz_dir_can_make(const char *path, unsigned makes);

/* ---- names in a directory -------------------------------------------------- */

typedef void (*fz_name_visitor)(void *ctx, const char *name);

/* Calls visit for each name but "." and "..", in any order.  0, or an errno; visits may have been made. */
FZ_PRIVATE int fz_list_dir(const char *path, fz_name_visitor visit, void *ctx);

/* ---- the disk of a directory or file -------------------------------------------- */

enum fz_disk_kind {
    FZ_DISK_LASTING, /* a disk of this host, as far as can be seen */
    FZ_DISK_MEMORY,  /* gone after a boot */
    FZ_DISK_LAYER,   /* a container's own: gone with it */
    FZ_DISK_REMOTE,  /* other hosts may have it, too */
    FZ_DISK_FUSE,    /* a program's: where it lies cannot be told, and two mounts of it may pass each other no locks */
    FZ_DISK_UNKNOWN  /* it cannot be told: the file system lies on another one, or the build is the portable one */
};

struct fz_disk {
    enum fz_disk_kind kind;
    uint64_t free_bytes; /* for this user */
    bool has_no_files;   /* no file can be made, as the disk has no inode left */
    bool open_to_others; /* others than its owner may make files in it */
};

/* 0 or an errno. */
FZ_PRIVATE int fz_disk_look(const char *path, struct fz_disk *ret);

/*
 * Whether an flock that one process holds keeps another one out: tried, with a
 * file doctor.lock in the directory and a child process.  0 or an errno.  Not for
 * programs with a handler for the end of a child.
 */
FZ_PRIVATE int fz_disk_try_flock(const char *directory, bool *ret_works);

#endif
