/* SPDX-License-Identifier: MIT */
/*
 * A folder in which files are opened by their paths again and again.  After chroot(), or a mount that others do not
 * see, the same path leads to another folder, where no other process looks.
 */
#ifndef FZ_OS_FOLDER_H
#define FZ_OS_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "kept_fd.h"

/* How a process sees paths. */
struct fz_view {
    struct fz_fd_mark root;
    uint64_t root_mount;
    uint64_t space; /* of mounts, as fz_mount_space */
};

/* Where a path led.  All zero: nothing was noted, and the folder may be any. */
struct fz_folder {
    bool is_noted;
    struct fz_view view;
    struct fz_fd_mark mark;
    uint64_t mount;
};

/* Notes the folder of the file with this absolute path, which need not be there.  Nothing is noted if there is none. */
FZ_PRIVATE void fz_folder_note(struct fz_folder *ret, const char *file);

/*
 * 0 if the path leads to the folder that was noted, or to one that was made anew in its place, which all others meet
 * there as well; FZ_REFUSED_ELSEWHERE (fail_errno.h) if it leads to another one.  Or an errno: ENOENT if there is none.
 */
FZ_PRIVATE int fz_folder_at(const struct fz_folder *folder, const char *file);

/*
 * Whether the calling thread sees paths as at the note: after neither chroot() nor unshare().  Then a path that leads
 * to another folder does so for all that saw the former one there.
 */
FZ_PRIVATE bool fz_folder_is_seen_as_before(const struct fz_folder *folder);

/*
 * The number of the mount in which a file or folder lies, another one for a bind mount of the same folder.  0: it
 * cannot be told (Linux before 5.8, and the portable build).
 */
FZ_PRIVATE uint64_t fz_mount_of(const char *path);

#endif
