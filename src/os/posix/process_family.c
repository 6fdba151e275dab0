/* SPDX-License-Identifier: MIT */
/*
 * A pipe tells whether a process has a descriptor of it: it ends when no process can
 * write to it any more.  A process that has closed its descriptor, as daemons do, is
 * known by its process id, which each child notes when it is forked, in a page that
 * all share.  It counts until no process has that id, so a child that executes another
 * program counts until its end.
 */
#include "os/process_family.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "os/memory.h"

enum { MEMBERS_MOST = 1000 };

struct members {
    _Atomic pid_t id[MEMBERS_MOST]; /* 0: nobody */
    atomic_bool overflowed;         /* a process found no place: the last one cannot be known any more */
};

/* ---- joining ------------------------------------------------------------------ */

/* Also true of one that has ended, until it is waited for, and of another process that has its id now. */
static bool is_alive(pid_t id)
{
    return kill(id, 0) == 0 || errno != ESRCH;
}

static void join_members(struct members *members)
{
    pid_t own = getpid();

    for (size_t i = 0; i < MEMBERS_MOST; i++) {
        pid_t id = atomic_load_explicit(&members->id[i], memory_order_relaxed);
        if ((id == 0 || id == own || !is_alive(id)) &&
            atomic_compare_exchange_strong_explicit(&members->id[i], &id, own, memory_order_acq_rel,
                                                    memory_order_relaxed))
            return;
    }
    atomic_store_explicit(&members->overflowed, true, memory_order_release);
}

/* Gives the own id up.  Whether nobody else is in it. */
static bool part_from_members(struct members *members)
{
    bool last = true;
    pid_t own = getpid();

    for (size_t i = 0; i < MEMBERS_MOST; i++) {
        pid_t id = atomic_load_explicit(&members->id[i], memory_order_acquire);
        if (id == own)
            atomic_store_explicit(&members->id[i], 0, memory_order_release);
        else if (id != 0 && is_alive(id))
            last = false;
    }
    return last && !atomic_load_explicit(&members->overflowed, memory_order_acquire);
}

/* ---- the families of this process ---------------------------------------------------- */

/* A list that only grows, and is read in a child among whose parent's threads one may have been changing it. */
struct place {
    _Atomic(struct members *) members; /* NULL: free */
    struct place *next;
};

static struct place first_place; /* most processes are of one family, and give all memory back */
static _Atomic(struct place *) all_places = &first_place;

static void join_all(void)
{
    int saved = errno;

    for (struct place *p = atomic_load_explicit(&all_places, memory_order_acquire); p != NULL; p = p->next) {
        struct members *members = atomic_load_explicit(&p->members, memory_order_acquire);
        if (members != NULL)
            join_members(members);
    }
    errno = saved;
}

/* 0 or an errno. */
static int listen_to_forks(void)
{
    static atomic_bool listening;

    if (atomic_exchange_explicit(&listening, true, memory_order_acq_rel))
        return 0;
    int sys = pthread_atfork(NULL, NULL, join_all);
    if (sys != 0)
        atomic_store_explicit(&listening, false, memory_order_release);
    return sys;
}

/* 0 or an errno. */
static int enlist(struct members *members)
{
    struct place *head = atomic_load_explicit(&all_places, memory_order_acquire);

    for (struct place *p = head; p != NULL; p = p->next) {
        struct members *none = NULL;
        if (atomic_compare_exchange_strong_explicit(&p->members, &none, members, memory_order_acq_rel,
                                                    memory_order_relaxed))
            return 0;
    }
    struct place *place = calloc(1, sizeof *place);
    if (place == NULL)
        return ENOMEM;
    atomic_init(&place->members, members);
    do
        place->next = head;
    while (
        !atomic_compare_exchange_weak_explicit(&all_places, &head, place, memory_order_acq_rel, memory_order_acquire));
    return 0;
}

static void strike_out(struct members *members)
{
    for (struct place *p = atomic_load_explicit(&all_places, memory_order_acquire); p != NULL; p = p->next) {
        struct members *found = members;
        (void)atomic_compare_exchange_strong_explicit(&p->members, &found, NULL, memory_order_acq_rel,
                                                      memory_order_relaxed);
    }
}

/* A program that is executed before has it, too. */
static bool close_on_exec(const struct fz_kept_fd *kept)
{
    return fcntl(fz_kept_fd_known(kept), F_SETFD, FD_CLOEXEC) == 0;
}

/* 0 or an errno; what is open then is in *family. */
static int lay_pipe(struct fz_process_family *family)
{
    int ends[2];

    if (pipe(ends) != 0)
        return errno;
    int sys = fz_kept_fd_take(&family->probe, fz_fd_above_standard(ends[0]));
    int held_sys = fz_kept_fd_take(&family->held, fz_fd_above_standard(ends[1]));
    if (sys == 0 && held_sys == 0 &&
        !(fcntl(fz_kept_fd_known(&family->probe), F_SETFL, O_NONBLOCK) == 0 && close_on_exec(&family->probe) &&
          close_on_exec(&family->held)))
        return errno;
    return sys != 0 ? sys : held_sys;
}

static bool process_has_ended(int fd)
{
    char byte;
    ssize_t got;

    do
        got = read(fd, &byte, 1);
    while (got < 0 && errno == EINTR);
    return got == 0;
}

/* ---- founding and leaving ---------------------------------------------------------- */

/* 0 or an errno; what is open then is in *family. */
static int begin_family(struct fz_process_family *family)
{
    int sys = lay_pipe(family);

    if (sys != 0)
        return sys;
    family->page = fz_map_shared(sizeof(struct members));
    if (family->page == NULL)
        return errno;
    join_members(family->page);
    sys = listen_to_forks();
    return sys == 0 ? enlist(family->page) : sys;
}

int fz_process_family_open(struct fz_process_family *ret)
{
    struct fz_process_family family = {.page = NULL, .held = FZ_KEPT_NONE, .probe = FZ_KEPT_NONE};

    int sys = begin_family(&family);
    if (sys == 0) {
        *ret = family;
        return 0;
    }
    fz_unmap(family.page, sizeof(struct members));
    fz_kept_fd_close(&family.held);
    fz_kept_fd_close(&family.probe);
    return sys;
}

bool fz_process_family_leave(struct fz_process_family *family)
{
    struct members *members = family->page;

    strike_out(members);
    fz_kept_fd_close(&family->held);
    int fd = fz_kept_fd_get(&family->probe);
    /* The pipe first: a process that writes its id down has inherited it. */
    bool nobody_writes = fd >= 0 && process_has_ended(fd);
    bool last = part_from_members(members) && nobody_writes;
    fz_kept_fd_close(&family->probe);
    fz_unmap(members, sizeof *members);
    family->page = NULL;
    return last;
}
