/* SPDX-License-Identifier: MIT */
/*
 * A family is a process and the children that have inherited something from it.  A member that leaves learns whether it
 * is the last one, however the others ended, and also if they closed all descriptors, as daemons do.
 */
#ifndef FZ_OS_PROCESS_FAMILY_H
#define FZ_OS_PROCESS_FAMILY_H

#include "kept_fd.h"

struct fz_process_family {
    void *page;              /* of a locked file: each process that has it is a member; portable: the members' ids */
    struct fz_kept_fd held;  /* the locked file; portable: the end of a pipe to write to */
    struct fz_kept_fd probe; /* the same file opened once more, to ask whether it is locked; portable: the other end */
};

/*
 * Creates it with this process as its only member; children join by being forked, and leave by exec or exit.  The
 * portable build sees an exec only when its program ends.  0 or an errno.
 */
FZ_PRIVATE int fz_process_family_open(struct fz_process_family *ret);

/*
 * Leaves, once.  True: no other process is in it, except one that leaves at the
 * same time.  False: another process is, or it cannot be known.
 */
FZ_PRIVATE bool fz_process_family_leave(struct fz_process_family *family);

#endif
