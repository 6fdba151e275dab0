/* SPDX-License-Identifier: MIT */
/* The names in a directory. */
#ifndef FZ_OS_LIST_DIR_H
#define FZ_OS_LIST_DIR_H

typedef void (*fz_name_visitor)(void *ctx, const char *name);

/* Calls visit for each name but "." and "..", in any order.  0, or an errno; visits may have been made. */
int fz_list_dir(const char *path, fz_name_visitor visit, void *ctx);

#endif
