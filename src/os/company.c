/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create */
#include "company.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/sentence.h"

/* Nobody ever looks into it: it is there to be held. */
enum { PAGE_SIZE_ASKED_FOR = 1 };

/* A lock belongs to an open file, so whoever asks whether there is one must have opened it for himself. */
static int open_again(int fd)
{
    char path[32];
    struct fz_sentence text = fz_sentence_in(path, sizeof path);

    fz_sentence_str(&text, "/proc/self/fd/");
    fz_sentence_u64(&text, (uint64_t)fd);
    return open(path, O_RDWR | O_CLOEXEC);
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

int fz_company_open(struct fz_company *ret)
{
    struct fz_company company = {.page = MAP_FAILED, .held_fd = memfd_create("frazil", MFD_CLOEXEC), .probe_fd = -1};

    if (company.held_fd < 0 || fz_fd_mark(company.held_fd, &company.mark) != 0)
        return errno;
    company.page = mmap(NULL, PAGE_SIZE_ASKED_FOR, PROT_READ, MAP_SHARED, company.held_fd, 0);
    company.probe_fd = open_again(company.held_fd);
    if (company.page == MAP_FAILED || company.probe_fd < 0 || flock(company.held_fd, LOCK_SH) != 0) {
        int err = errno;
        drop(&company);
        if (company.probe_fd >= 0)
            close(company.probe_fd);
        return err;
    }
    *ret = company;
    return 0;
}

bool fz_company_leave(struct fz_company *company)
{
    bool can_ask = fz_fd_is_marked(company->probe_fd, &company->mark);

    drop(company);
    bool last = can_ask && flock(company->probe_fd, LOCK_EX | LOCK_NB) == 0;
    if (can_ask)
        close(company->probe_fd);
    company->probe_fd = -1;
    return last;
}
