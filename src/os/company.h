/* SPDX-License-Identifier: MIT */
/*
 * Finding out who is the last: among a process and the children that have
 * inherited something from it, however they end.  A locked file without a name
 * tells: it is mapped, so it stays locked as long as anybody has the memory of
 * it, also one who has closed all descriptors, as daemons do.
 */
#ifndef FZ_OS_COMPANY_H
#define FZ_OS_COMPANY_H

#include "kept_fd.h"

struct fz_company {
    void *page;              /* of the locked file: who has it is a member */
    struct fz_kept_fd held;  /* the locked file */
    struct fz_kept_fd probe; /* the same file opened once more, to ask whether it is locked */
};

/* Founds it with one member, this process; children join by being forked, and leave by exec or exit.  0 or an errno. */
FZ_PRIVATE int fz_company_open(struct fz_company *ret);

/*
 * Leaves, once.  True: nobody else is in it, except somebody who is leaving at
 * the same time.  False: somebody is, or it cannot be known.
 */
FZ_PRIVATE bool fz_company_leave(struct fz_company *company);

#endif
