/* SPDX-License-Identifier: MIT */
/*
 * The files of one worker, one for each pair of sequence bounds: PATH for the
 * generators that use all sequence numbers, PATH.shards/MIN-MAX for those that use
 * some.  A folder of each worker's own, because an open looks through it: the
 * folder above can hold thousands of workers.
 *
 * All files of a worker have one guard, that of PATH.
 */
#ifndef FZ_OS_SHARDS_H
#define FZ_OS_SHARDS_H

#include "core/bounds.h"
#include "file.h"

/* The path of the folder.  0 or ENAMETOOLONG. */
FZ_PRIVATE int fz_shards_folder(char ret_path[FZ_PATH_SIZE], const char *path);

/* The path of the file with these bounds.  0 or ENAMETOOLONG. */
FZ_PRIVATE int fz_shards_file(char ret_path[FZ_PATH_SIZE], const char *path, const struct fz_bounds *bounds);

/* False: it has seen enough. */
typedef bool (*fz_shard_visitor)(void *ctx, const char *path, const struct fz_bounds *bounds);

/*
 * Calls visit for each file of the worker, with its path and bounds, that is there and
 * overlaps these bounds, in any order; also for the one that has these bounds.  The
 * file of all sequence numbers is always among them, whether it is there or not.  0
 * or an errno.
 */
FZ_PRIVATE int fz_shards_visit(const char *path, const struct fz_bounds *bounds, fz_shard_visitor visit, void *ctx);

#endif
