/* SPDX-License-Identifier: MIT */
/*
 * Files that the configuration names.  Each is read in full and at once, so it must be a regular file of a bounded
 * size: a FIFO might never end, a device does not end, and neither could be read again at SIGHUP.
 */
#ifndef FRAZILD_FILES_H
#define FRAZILD_FILES_H

#include <stdbool.h>
#include <sys/types.h>

#include "bytes.h"

/*
 * Reads the file at path, of at most `most` bytes, into *ret, which is empty and which the caller wipes; ret_mode, if
 * it is not NULL, gets its mode.  Never waits for another process.  Returns NULL, or what is wrong, as a part of a
 * sentence; *ret is empty then.
 */
const char *file_read(const char *path, size_t most, struct bytes *ret, mode_t *ret_mode);

/*
 * Whether there is nothing of that name, in folders that this process may search: a file that it may not read is there,
 * and so is a link that leads nowhere.  errno stays.
 */
bool file_is_absent(const char *path);

/* Wipes the bytes, then frees them. */
void file_wipe(struct bytes *bytes);

#endif
