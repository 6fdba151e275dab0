/* SPDX-License-Identifier: MIT */
/* The file that holds the key of opaque ids. */
#ifndef KEY_FILE_H
#define KEY_FILE_H

#include <frazil/opaque.h>

/*
 * Reads the key: 16 bytes, or 32 hex digits with or without a line end.  A file
 * that others than its owner may use is refused, as cli/cli.h says.  Complains and returns the exit
 * status; *ret is wiped unless that is STATUS_OK.
 */
int key_file_read(const char *path, frazil_opaque_key *ret);

#endif
