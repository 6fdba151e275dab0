/* SPDX-License-Identifier: MIT */
/* In place of src/os/this_process.c, clients.c and notice.c: each simulated process has its own mark, and keeps its own
 * things.
 */
#include <errno.h>
#include <string.h>

#include "os/clients.h"
#include "os/notice.h"
#include "os/this_process.h"
#include "process.h"

uint64_t fz_this_process(void)
{
    return (uint64_t)self()->pid + 1;
}

void *fz_process_alloc(size_t size)
{
    void *memory = self_alloc(size);

    return memory == NULL ? NULL : memset(memory, 0, size);
}

void fz_process_free(void *memory)
{
    self_free(memory);
}

void *fz_process_kept(enum fz_kept kind)
{
    return self()->kept[kind];
}

bool fz_process_keep(enum fz_kept kind, void *before, void *after)
{
    if (self()->kept[kind] != before)
        return false;
    self()->kept[kind] = after;
    return true;
}

/* In place of src/os/clients.c: the simulated coordinator has no client library. */
struct fz_clients *fz_clients_share(struct fz_clients *given)
{
    return given;
}

frazil_err fz_clients_check(struct fz_clients *clients, frazil_error *reterr)
{
    (void)clients;
    (void)reterr;
    return FRAZIL_OK;
}

/* In place of src/os/notice.c: nobody waits for events. */
int fz_notice_open(struct fz_notice *ret)
{
    (void)ret;
    return ENOSYS;
}

int fz_notice_fd(const struct fz_notice *notice)
{
    (void)notice;
    return -1;
}

void fz_notice_signal(const struct fz_notice *notice)
{
    (void)notice;
}

bool fz_notice_drain(const struct fz_notice *notice)
{
    (void)notice;
    return false;
}

void fz_notice_close(struct fz_notice *notice)
{
    (void)notice;
}
