/* SPDX-License-Identifier: MIT */
#include "company.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Nothing of it may outlive an exec, and nobody may ever wait for it. */
static bool prepare(int fd)
{
    return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0;
}

static bool is_ours(const struct fz_company *company, int fd)
{
    struct stat file;

    return fd >= 0 && fstat(fd, &file) == 0 && file.st_dev == company->device && file.st_ino == company->inode;
}

int fz_company_open(struct fz_company *ret)
{
    struct stat file;
    int ends[2];

    if (pipe(ends) != 0)
        return errno;
    if (!prepare(ends[0]) || !prepare(ends[1]) || fstat(ends[0], &file) != 0) {
        int err = errno;
        close(ends[0]);
        close(ends[1]);
        return err;
    }
    *ret = (struct fz_company){.read_end = ends[0], .write_end = ends[1], .device = file.st_dev, .inode = file.st_ino};
    return 0;
}

bool fz_company_leave(struct fz_company *company)
{
    bool complete = is_ours(company, company->read_end) && is_ours(company, company->write_end);
    bool last = false;
    char byte;

    if (is_ours(company, company->write_end))
        close(company->write_end);
    if (complete)
        last = read(company->read_end, &byte, 1) == 0;
    if (is_ours(company, company->read_end))
        close(company->read_end);
    company->read_end = company->write_end = -1;
    return last;
}
