/* SPDX-License-Identifier: MIT */
/* The stand-ins of rooms/stand_in.h for libc: memory, threads and locks of a simulated process. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "faults.h"
#include "host.h"
#include "process.h"
#include "rooms/stand_in.h"
#include "world.h"

/* In place of a pthread_mutex_t. */
struct mutex {
    uint32_t pid; /* of the process that holds it; 0: nobody */
    uint32_t thread;
};

_Static_assert(sizeof(struct mutex) <= sizeof(pthread_mutex_t), "a lock fits into a lock");

void sim_step(void)
{
    faults_step();
}

int sim_weak_fails(void)
{
    return once_in(64);
}

/* ---- memory and the like --------------------------------------------------------- */

void *sim_malloc(size_t size)
{
    return self_alloc(size);
}

void *sim_calloc(size_t n, size_t size)
{
    void *block = self_alloc(n * size);

    if (block != NULL)
        memset(block, 0, n * size);
    return block;
}

char *sim_strndup(const char *text, size_t len)
{
    size_t copied = strnlen(text, len);
    char *copy = self_alloc(copied + 1);

    if (copy == NULL)
        return NULL;
    memcpy(copy, text, copied);
    copy[copied] = '\0';
    return copy;
}

char *sim_strdup(const char *text)
{
    return sim_strndup(text, strlen(text));
}

/* All blocks begin a cache line, and nothing asks for more. */
void *sim_aligned_alloc(size_t alignment, size_t size)
{
    (void)alignment;
    return self_alloc(size);
}

void *sim_realloc(void *block, size_t size)
{
    void *other = self_alloc(size);

    if (other != NULL && block != NULL) {
        size_t old = self_block_size(block);
        memcpy(other, block, old < size ? old : size);
        self_free(block);
    }
    return other;
}

void sim_free(void *block)
{
    self_free(block);
}

pid_t sim_getpid(void)
{
    return (pid_t)self()->pid;
}

int sim_clock_gettime(clockid_t id, struct timespec *ret)
{
    faults_step();
    int64_t ns = id == CLOCK_MONOTONIC ? (int64_t)host_monotonic_ns(self()->host)
                                       : host_clock_ns(self()->host) + TRUE_UNIX_MS * (int64_t)MS;
    ret->tv_sec = (time_t)(ns / (int64_t)SECOND);
    ret->tv_nsec = (long)(ns % (int64_t)SECOND);
    return 0;
}

/* For a while from now, which is all that is asked for. */
int sim_clock_nanosleep(clockid_t id, int flags, const struct timespec *pause, struct timespec *ret_left)
{
    (void)id;
    (void)flags;
    (void)ret_left;
    self_spend((uint64_t)pause->tv_sec * SECOND + (uint64_t)pause->tv_nsec);
    return 0;
}

/* ---- locks ------------------------------------------------------------------------- */

static struct mutex *mutex_of(pthread_mutex_t *mutex)
{
    return (struct mutex *)(void *)mutex;
}

int sim_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    (void)attributes;
    memset(mutex, 0, sizeof(pthread_mutex_t));
    return 0;
}

/* 0 or EBUSY. */
static int try_mutex(pthread_mutex_t *mutex)
{
    struct mutex *m = mutex_of(mutex);

    faults_step();
    if (m->pid != 0)
        return EBUSY;
    m->pid = self()->pid;
    m->thread = self_thread();
    return 0;
}

int sim_mutex_lock(pthread_mutex_t *mutex)
{
    int err;

    while ((err = try_mutex(mutex)) == EBUSY)
        self_spend(100 * US);
    return err;
}

int sim_mutex_unlock(pthread_mutex_t *mutex)
{
    faults_step();
    if (mutex_of(mutex)->pid != self()->pid || mutex_of(mutex)->thread != self_thread())
        world_fail("a lock is released by somebody who does not hold it");
    mutex_of(mutex)->pid = 0;
    return 0;
}

int sim_mutex_destroy(pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

/* ---- signals between threads --------------------------------------------------------- */

int sim_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
    (void)cond;
    (void)attributes;
    return 0;
}

int sim_cond_signal(pthread_cond_t *cond)
{
    process_wake(self(), cond);
    return 0;
}

int sim_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
    uint64_t until_ns = (uint64_t)until->tv_sec * SECOND + (uint64_t)until->tv_nsec;
    uint64_t now_ns = host_monotonic_ns(self()->host);

    if (now_ns >= until_ns)
        return ETIMEDOUT;
    mutex_of(mutex)->pid = 0;
    self_wait(cond, world_now() + (until_ns - now_ns));
    sim_mutex_lock(mutex);
    return host_monotonic_ns(self()->host) >= until_ns ? ETIMEDOUT : 0;
}

int sim_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    mutex_of(mutex)->pid = 0;
    self_wait(cond, UINT64_MAX);
    return sim_mutex_lock(mutex);
}

int sim_cond_destroy(pthread_cond_t *cond)
{
    (void)cond;
    return 0;
}

/* ---- threads --------------------------------------------------------------------------- */

static pthread_t thread_named(unsigned thread)
{
    pthread_t name;

    memset(&name, 0, sizeof name);
    memcpy(&name, &thread, sizeof thread < sizeof name ? sizeof thread : sizeof name);
    return name;
}

int sim_thread_create(pthread_t *ret, const pthread_attr_t *attributes, void *(*run)(void *arg), void *arg)
{
    int detached = PTHREAD_CREATE_JOINABLE;

    if (attributes != NULL)
        pthread_attr_getdetachstate(attributes, &detached);
    unsigned thread = detached == PTHREAD_CREATE_DETACHED ? self_start_thread(run, arg) : self_start_joinable(run, arg);
    if (thread == 0)
        return EAGAIN;
    *ret = thread_named(thread);
    return 0;
}

pthread_t sim_thread_self(void)
{
    return thread_named(self_thread());
}

int sim_thread_join(pthread_t thread, void **ret)
{
    unsigned i;

    (void)ret;
    memcpy(&i, &thread, sizeof i);
    self_join(i);
    return 0;
}

int sim_sigmask(int how, const sigset_t *set, sigset_t *ret)
{
    (void)how;
    (void)set;
    (void)ret;
    return 0;
}
