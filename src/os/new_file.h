/* SPDX-License-Identifier: MIT */
/*
 * Files that appear with all of their content at once: written as PATH.new and
 * renamed.  Whoever dies half way leaves a PATH.new, which the next one writes
 * anew.  One maker at a time: hold the file's guard.  Paths are absolute.
 */
#ifndef FZ_OS_NEW_FILE_H
#define FZ_OS_NEW_FILE_H

/*
 * Opens a PATH.new for reading and writing, for its owner alone.  One that is
 * there is removed, not emptied: it may be another name of some other file.  0 or
 * an errno.
 */
int fz_new_file_begin(const char *path, int *ret_fd);

/* Gives it up: closes and removes it. */
void fz_new_file_abandon(const char *path, int fd);

/* Gives it its name, in place of any file that has it.  0 or an errno. */
int fz_new_file_publish(const char *path);

/* The same, and it is still there after a loss of power. */
int fz_new_file_publish_durably(const char *path, int fd);

/* Makes a name durable that somebody else may have left undone.  0 or an errno. */
int fz_new_file_sync_name(const char *path);

#endif
