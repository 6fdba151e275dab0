/* SPDX-License-Identifier: MIT */
#include "spare_fds.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "fail_errno.h"

/* For a socket, and for what libcurl wakes itself up with. */
enum { FDS_OF_A_CONNECTION = 3 };

/* 0: there are enough; else the error number.  They are free again at once. */
static int look_for_fds(void)
{
    int fds[FDS_OF_A_CONNECTION];
    int n = 0;
    int sys = 0;

    while (n < FDS_OF_A_CONNECTION && sys == 0) {
        fds[n] = open("/", O_RDONLY | O_CLOEXEC);
        if (fds[n] < 0)
            sys = errno;
        else
            n++;
    }
    while (n > 0)
        (void)close(fds[--n]);
    return sys;
}

frazil_err fz_fail_without_fds(frazil_err err, frazil_error *reterr)
{
    int sys = err == FRAZIL_EUNREACHABLE ? look_for_fds() : 0;

    if (sys != EMFILE && sys != ENFILE)
        return err;
    return fz_fail_errno(reterr, sys, "no connection to the coordinator can be made", NULL, "");
}
