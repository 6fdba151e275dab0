/* SPDX-License-Identifier: MIT */
/*
 * Finding out who is the last: among a process and the children that have
 * inherited something from it, however they end.  A pipe tells: its end has come
 * when nobody has the other side open any more.
 */
#ifndef FZ_OS_COMPANY_H
#define FZ_OS_COMPANY_H

#include <stdbool.h>
#include <sys/types.h>

struct fz_company {
    int read_end; /* -1: not opened, or left */
    int write_end;
    dev_t device; /* of the pipe: a program that closes all descriptors may have closed these, too */
    ino_t inode;
};

/* Founds it with one member, this process; children join by being forked, and leave by exec or exit.  0 or an errno. */
int fz_company_open(struct fz_company *ret);

/*
 * Leaves.  True: nobody else is in it, except somebody who is leaving at the same
 * time.  False: somebody is, or it cannot be known.
 */
bool fz_company_leave(struct fz_company *company);

#endif
