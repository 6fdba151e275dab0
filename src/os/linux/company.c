/* SPDX-License-Identifier: MIT */
/*
 * A locked file without a name tells: it is mapped, so it stays locked as long as
 * anybody has the memory of it, also one who has closed all descriptors, as daemons
 * do.
 */
#define _GNU_SOURCE /* memfd_create */
#include "os/company.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/sentence.h"
#include "os/own_file.h"

/* Nobody ever looks into it: it is there to be held. */
enum { COMPANY_PAGE_SIZE = 1 };

/* A lock belongs to an open file, so a process that asks whether there is one must have opened the file once more. */
static int open_again(int fd)
{
    char path[32];
    struct fz_sentence text = fz_sentence_in(path, sizeof path);

    fz_sentence_str(&text, "/proc/self/fd/");
    fz_sentence_u64(&text, (uint64_t)fd);
    do
        fd = open(path, O_RDWR | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* Gives up what this process holds of it. */
static void drop_company(struct fz_company *company)
{
    if (company->page != MAP_FAILED)
        munmap(company->page, COMPANY_PAGE_SIZE);
    company->page = MAP_FAILED;
    fz_kept_fd_close(&company->held);
}

/* 0 or an errno; what is open then is in *company. */
static int found(struct fz_company *company)
{
    int held_fd = memfd_create("frazil", MFD_CLOEXEC);
    int sys = fz_kept_fd_take(&company->held, held_fd);

    if (sys != 0)
        return sys;
    company->page = mmap(NULL, COMPANY_PAGE_SIZE, PROT_READ, MAP_SHARED, held_fd, 0);
    if (company->page == MAP_FAILED)
        return errno;
    sys = fz_kept_fd_take(&company->probe, open_again(held_fd));
    return sys == 0 ? fz_own_file_lock(held_fd, LOCK_SH) : sys;
}

int fz_company_open(struct fz_company *ret)
{
    struct fz_company company = {.page = MAP_FAILED, .held = FZ_KEPT_NONE, .probe = FZ_KEPT_NONE};

    int sys = found(&company);
    if (sys == 0) {
        *ret = company;
        return 0;
    }
    drop_company(&company);
    fz_kept_fd_close(&company.probe);
    return sys;
}

bool fz_company_leave(struct fz_company *company)
{
    drop_company(company);
    int fd = fz_kept_fd_get(&company->probe);
    bool last = fd >= 0 && fz_own_file_lock(fd, LOCK_EX) == 0;
    fz_kept_fd_close(&company->probe);
    return last;
}
