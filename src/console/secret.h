/* SPDX-License-Identifier: MIT */
/* Files that hold secrets. */
#ifndef FZ_CONSOLE_SECRET_H
#define FZ_CONSOLE_SECRET_H

#include <stdbool.h>

/* Whether an open file may hold a secret: not if others than its owner may use it, as os/file.h says. */
bool fz_secret_is_kept(int fd);

#endif
