/* SPDX-License-Identifier: MIT */
/*
 * A locked file without a name tells: it is mapped, so it stays locked as long as
 * any process has its memory, also one that has closed all descriptors, as daemons
 * do.
 */
#define _GNU_SOURCE /* memfd_create */
#include "os/process_family.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/sentence.h"
#include "os/own_file.h"

/* Nobody ever looks into it: it is there to be held. */
enum { COUNT_PAGE_SIZE = 1 };

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
static void drop_process_family(struct fz_process_family *family)
{
    if (family->page != MAP_FAILED)
        munmap(family->page, COUNT_PAGE_SIZE);
    family->page = MAP_FAILED;
    fz_kept_fd_close(&family->held);
}

/* 0 or an errno; what is open then is in *family. */
static int begin_family(struct fz_process_family *family)
{
    int sys = fz_kept_fd_take(&family->held, fz_fd_above_standard(memfd_create("frazil", MFD_CLOEXEC)));

    if (sys != 0)
        return sys;
    int held_fd = fz_kept_fd_known(&family->held);
    family->page = mmap(NULL, COUNT_PAGE_SIZE, PROT_READ, MAP_SHARED, held_fd, 0);
    if (family->page == MAP_FAILED)
        return errno;
    sys = fz_kept_fd_take(&family->probe, fz_fd_above_standard(open_again(held_fd)));
    return sys == 0 ? fz_own_file_lock(held_fd, LOCK_SH) : sys;
}

int fz_process_family_open(struct fz_process_family *ret)
{
    struct fz_process_family family = {.page = MAP_FAILED, .held = FZ_KEPT_NONE, .probe = FZ_KEPT_NONE};

    int sys = begin_family(&family);
    if (sys == 0) {
        *ret = family;
        return 0;
    }
    drop_process_family(&family);
    fz_kept_fd_close(&family.probe);
    return sys;
}

bool fz_process_family_leave(struct fz_process_family *family)
{
    drop_process_family(family);
    int fd = fz_kept_fd_get(&family->probe);
    bool last = fd >= 0 && fz_own_file_lock(fd, LOCK_EX) == 0;
    fz_kept_fd_close(&family->probe);
    return last;
}
