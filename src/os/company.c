/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create */
#include "company.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/sentence.h"
#include "own_file.h"

/* Nobody ever looks into it: it is there to be held. */
enum { PAGE_SIZE_ASKED_FOR = 1 };

/* A lock belongs to an open file, so whoever asks whether there is one must have opened it for himself. */
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

/* Gives up what this process has of it. */
static void drop(struct fz_company *company)
{
    if (company->page != MAP_FAILED)
        munmap(company->page, PAGE_SIZE_ASKED_FOR);
    if (fz_fd_is_marked(company->held_fd, &company->mark))
        close(company->held_fd);
    company->page = MAP_FAILED;
    company->held_fd = -1;
}

/* 0 or an errno; what is open then is in *company. */
static int found(struct fz_company *company)
{
    company->held_fd = memfd_create("frazil", MFD_CLOEXEC);
    if (company->held_fd < 0)
        return errno;
    int sys = fz_fd_mark(company->held_fd, &company->mark);
    if (sys != 0)
        return sys;
    company->page = mmap(NULL, PAGE_SIZE_ASKED_FOR, PROT_READ, MAP_SHARED, company->held_fd, 0);
    if (company->page == MAP_FAILED)
        return errno;
    company->probe_fd = open_again(company->held_fd);
    return company->probe_fd >= 0 ? fz_own_file_lock(company->held_fd, LOCK_SH) : errno;
}

int fz_company_open(struct fz_company *ret)
{
    struct fz_company company = {.page = MAP_FAILED, .held_fd = -1, .probe_fd = -1};

    int sys = found(&company);
    if (sys == 0) {
        *ret = company;
        return 0;
    }
    if (company.page != MAP_FAILED)
        munmap(company.page, PAGE_SIZE_ASKED_FOR);
    if (company.probe_fd >= 0)
        close(company.probe_fd);
    if (company.held_fd >= 0)
        close(company.held_fd);
    return sys;
}

bool fz_company_leave(struct fz_company *company)
{
    bool can_ask = fz_fd_is_marked(company->probe_fd, &company->mark);

    drop(company);
    bool last = can_ask && fz_own_file_lock(company->probe_fd, LOCK_EX) == 0;
    if (can_ask)
        close(company->probe_fd);
    company->probe_fd = -1;
    return last;
}
