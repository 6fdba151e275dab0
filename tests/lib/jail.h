/* SPDX-License-Identifier: MIT */
/*
 * A folder that a test makes its root, by chroot().  Only root can.  Bind nothing into it but folders of the test's
 * own: if the test fails before it has unmounted them, their files are removed with the jail.
 *
 *   jail_make(scratch);
 *   jail_make_folders(jailed(path), 0755);
 *   jail_enter();
 *   ... what is at jailed(path) outside is at path now ...
 *   jail_leave();
 */
#ifndef FRAZIL_TESTS_LIB_JAIL_H
#define FRAZIL_TESTS_LIB_JAIL_H

#include <sys/stat.h>

/* Makes DIR/jail, with the path of DIR in it. */
void jail_make(const char *dir);

/* Makes a folder with this mode, and all above it that are missing. */
void jail_make_folders(const char *path, mode_t mode);

/* The same path in the jail, in one of two buffers that take turns. */
const char *jailed(const char *path);

/* Fail the test if they cannot.  The working directory is the root afterwards. */
void jail_enter(void);
void jail_leave(void);

#endif
