/* SPDX-License-Identifier: MIT */
/* Paths of the library's own files, in buffers of a fixed size. */
#ifndef FZ_OS_PATH_H
#define FZ_OS_PATH_H

/* Bytes that a path may have, terminator included. */
#define FZ_PATH_SIZE 1024

/*
 * Writes a, b and c one after the other.  0, or ENAMETOOLONG if they do not fit;
 * buf is then untouched.  buf may be a itself.
 */
int fz_path_join(char buf[FZ_PATH_SIZE], const char *a, const char *b, const char *c);

#endif
