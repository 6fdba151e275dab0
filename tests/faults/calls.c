/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* RTLD_NEXT, memfd_create */
#include "faults/calls.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "faults/disk_log.h"
#include "frazil/coordinators.h"

struct calls calls;
static _Thread_local bool armed;
static _Atomic long blocks;
static _Atomic long maps;

static const char *const names[] = {
#define CALL_NAME(name, ...) #name,
    CALLS(CALL_NAME)
#undef CALL_NAME
};

static const int errors[][CALL_ERRORS] = {
#define CALL_ERRNOS(name, ...) {__VA_ARGS__},
    CALLS(CALL_ERRNOS)
#undef CALL_ERRNOS
};

const char *call_name(enum call call)
{
    return names[call];
}

const int *call_errors(enum call call)
{
    return errors[call];
}

void calls_arm(unsigned fails_at, bool for_good, int error)
{
    calls = (struct calls){.fails_at = fails_at, .for_good = for_good, .error = error};
    armed = true;
}

void calls_disarm(void)
{
    armed = false;
}

long calls_blocks(void)
{
    return blocks;
}

long calls_maps(void)
{
    return maps;
}

static bool can_have(enum call call, int error)
{
    for (const int *known = errors[call]; *known != 0; known++) {
        if (*known == error)
            return true;
    }
    return false;
}

/* Whether this call fails; errno says how. */
static bool strikes(enum call call)
{
    if (!armed || calls.made == CALLS_MAX)
        return false;
    calls.which[calls.made++] = call;
    if (calls.fails_at == 0 || calls.made < calls.fails_at || (calls.made > calls.fails_at && !calls.for_good) ||
        !can_have(call, calls.error))
        return false;
    calls.struck = call;
    calls.strikes++;
    calls.strikes_on[call]++;
    errno = calls.error;
    return true;
}

/* The same for calls that change files: those of a dead process do nothing. */
static bool is_lost(enum call call)
{
    if (strikes(call))
        return true;
    errno = EIO;
    return disk_log_fate() != DISK_LIVES;
}

/* libc's function behind the one of this file. */
#define REAL(name) ((__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name))

#define STAND_IN(type, failure, name, parameters, arguments)                                                           \
    type name parameters                                                                                               \
    {                                                                                                                  \
        return strikes(CALL_##name) ? (failure) : REAL(name) arguments;                                                \
    }

/* ---- files --------------------------------------------------------------------- */

int open(const char *path, int flags, ...)
{
    va_list args;

    va_start(args, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(args, mode_t) : 0;
    va_end(args);
    if ((flags & O_CREAT) != 0 ? is_lost(CALL_open) : strikes(CALL_open))
        return -1;
    int fd = REAL(open)(path, flags, mode);
    int err = errno;
    if (fd >= 0)
        disk_log_opened(fd, path, flags);
    errno = err;
    return fd;
}

/* One that fails has closed all the same, as on Linux. */
int close(int fd)
{
    disk_log_closed(fd);
    if (!strikes(CALL_close))
        return REAL(close)(fd);
    int err = errno;
    (void)REAL(close)(fd);
    errno = err;
    return -1;
}

STAND_IN(ssize_t, -1, read, (int fd, void *buf, size_t size), (fd, buf, size))
STAND_IN(ssize_t, -1, pread, (int fd, void *buf, size_t size, off_t at), (fd, buf, size, at))

ssize_t write(int fd, const void *buf, size_t size)
{
    if (is_lost(CALL_write))
        return -1;
    ssize_t put = REAL(write)(fd, buf, size);
    if (put > 0)
        disk_log_appended(fd, buf, (size_t)put);
    return put;
}

ssize_t pwrite(int fd, const void *buf, size_t size, off_t at)
{
    if (is_lost(CALL_pwrite))
        return -1;
    ssize_t put = REAL(pwrite)(fd, buf, size, at);
    if (put > 0)
        disk_log_wrote(fd, (uint64_t)at, buf, (size_t)put);
    return put;
}

static int sync_file(enum call call, int fd)
{
    bool failed = is_lost(call);

    if (!disk_log_is_dead() && !(failed && errno == EINTR))
        disk_log_synced(fd, !failed);
    return failed ? -1 : 0;
}

int fsync(int fd)
{
    return sync_file(CALL_fsync, fd);
}

int fdatasync(int fd)
{
    return sync_file(CALL_fdatasync, fd);
}

int ftruncate(int fd, off_t size)
{
    if (is_lost(CALL_ftruncate))
        return -1;
    int result = REAL(ftruncate)(fd, size);
    if (result == 0)
        disk_log_resized(fd, (uint64_t)size);
    return result;
}

int posix_fallocate(int fd, off_t at, off_t size)
{
    if (is_lost(CALL_posix_fallocate))
        return errno;
    return REAL(posix_fallocate)(fd, at, size);
}

STAND_IN(int, -1, fstat, (int fd, struct stat *ret), (fd, ret))
STAND_IN(int, -1, stat, (const char *path, struct stat *ret), (path, ret))
STAND_IN(int, -1, lstat, (const char *path, struct stat *ret), (path, ret))
STAND_IN(int, -1, statfs, (const char *path, struct statfs *ret), (path, ret))
STAND_IN(int, -1, faccessat, (int dir, const char *path, int how, int flags), (dir, path, how, flags))
STAND_IN(int, -1, fchmod, (int fd, mode_t mode), (fd, mode))
STAND_IN(int, -1, flock, (int fd, int operation), (fd, operation))
STAND_IN(DIR *, NULL, opendir, (const char *path), (path))
STAND_IN(struct dirent *, NULL, readdir, (DIR * dir), (dir))

int mkdir(const char *path, mode_t mode)
{
    if (is_lost(CALL_mkdir))
        return -1;
    int result = REAL(mkdir)(path, mode);
    int err = errno;
    if (result == 0)
        disk_log_made_dir(path);
    errno = err;
    return result;
}

int rename(const char *from, const char *to)
{
    if (is_lost(CALL_rename))
        return -1;
    int result = REAL(rename)(from, to);
    if (result == 0)
        disk_log_renamed(from, to);
    return result;
}

int unlink(const char *path)
{
    if (is_lost(CALL_unlink))
        return -1;
    int result = REAL(unlink)(path);
    if (result == 0)
        disk_log_unlinked(path);
    return result;
}

/* ---- memory ---------------------------------------------------------------------- */

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    void *pages = strikes(CALL_mmap) ? MAP_FAILED : REAL(mmap)(at, size, protection, flags, fd, offset);

    maps += pages != MAP_FAILED;
    return pages;
}

int munmap(void *at, size_t size)
{
    maps--;
    return REAL(munmap)(at, size);
}

STAND_IN(int, -1, madvise, (void *at, size_t size, int advice), (at, size, advice))
STAND_IN(int, -1, memfd_create, (const char *name, unsigned flags), (name, flags))

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_realloc(void *block, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t len);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_realloc(void *block, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t len);
void __wrap_free(void *block);

static void *count_block(void *block)
{
    blocks += block != NULL;
    return block;
}

void *__wrap_malloc(size_t size)
{
    return strikes(CALL_malloc) ? NULL : count_block(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return strikes(CALL_calloc) ? NULL : count_block(__real_calloc(count, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return strikes(CALL_aligned_alloc) ? NULL : count_block(__real_aligned_alloc(alignment, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (strikes(CALL_realloc))
        return NULL;
    void *moved = __real_realloc(block, size);
    return block == NULL ? count_block(moved) : moved;
}

char *__wrap_strdup(const char *text)
{
    return strikes(CALL_strdup) ? NULL : count_block(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t len)
{
    return strikes(CALL_strndup) ? NULL : count_block(__real_strndup(text, len));
}

void __wrap_free(void *block)
{
    blocks -= block != NULL;
    __real_free(block);
}

/* ---- the host ---------------------------------------------------------------------- */

STAND_IN(int, -1, getentropy, (void *buf, size_t size), (buf, size))
STAND_IN(int, -1, gethostname, (char *buf, size_t size), (buf, size))
STAND_IN(int, -1, socket, (int domain, int type, int protocol), (domain, type, protocol))
STAND_IN(int, -1, adjtimex, (struct timex * ret), (ret))
STAND_IN(pid_t, -1, fork, (void), ())
STAND_IN(pid_t, -1, waitpid, (pid_t pid, int *status, int options), (pid, status, options))

/* On any network this machine finds an address of its own. */
int connect(int fd, const struct sockaddr *address, socklen_t size)
{
    (void)fd;
    (void)address;
    (void)size;
    return strikes(CALL_connect) ? -1 : 0;
}

int getsockname(int fd, struct sockaddr *restrict ret, socklen_t *restrict size)
{
    const struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(0x0a010203)}};

    (void)fd;
    if (strikes(CALL_getsockname))
        return -1;
    memcpy(ret, &own, sizeof own);
    *size = sizeof own;
    return 0;
}

int __real_pthread_create(pthread_t *ret, const pthread_attr_t *attributes, void *(*run)(void *), void *arg);
int __wrap_pthread_create(pthread_t *ret, const pthread_attr_t *attributes, void *(*run)(void *), void *arg);

/* Its caller waits for a detached thread by the clock of this test, so such a thread runs at once, in that caller. */
int __wrap_pthread_create(pthread_t *ret, const pthread_attr_t *attributes, void *(*run)(void *), void *arg)
{
    int state = PTHREAD_CREATE_JOINABLE;

    if (strikes(CALL_pthread_create))
        return errno;
    if (attributes == NULL || pthread_attr_getdetachstate(attributes, &state) != 0 || state != PTHREAD_CREATE_DETACHED)
        return __real_pthread_create(ret, attributes, run, arg);
    (void)run(arg);
    return 0;
}

#define WRAPPED_INIT(name, parameters, arguments)                                                                      \
    int __real_##name parameters;                                                                                      \
    int __wrap_##name parameters;                                                                                      \
    int __wrap_##name parameters                                                                                       \
    {                                                                                                                  \
        return strikes(CALL_##name) ? errno : __real_##name arguments;                                                 \
    }

WRAPPED_INIT(pthread_mutex_init, (pthread_mutex_t * ret, const pthread_mutexattr_t *how), (ret, how))
WRAPPED_INIT(pthread_mutexattr_init, (pthread_mutexattr_t * ret), (ret))
WRAPPED_INIT(pthread_cond_init, (pthread_cond_t * ret, const pthread_condattr_t *how), (ret, how))
WRAPPED_INIT(pthread_condattr_init, (pthread_condattr_t * ret), (ret))

/* Parts are linked into the test, where their calls are counted. */
frazil_err __real_fz_part_load(const char *part, const void **ret, frazil_error *reterr);
frazil_err __wrap_fz_part_load(const char *part, const void **ret, frazil_error *reterr);

frazil_err __wrap_fz_part_load(const char *part, const void **ret, frazil_error *reterr)
{
    if (strcmp(part, "file") != 0)
        return __real_fz_part_load(part, ret, reterr);
    *ret = frazil_coordinator_file();
    return FRAZIL_OK;
}

/* ---- time ---------------------------------------------------------------------------- */

enum { NS_PER_S = 1000000000 };

static _Atomic int64_t passed_ns; /* since the beginning, on both clocks */

/* 2026-01-01, and an hour after the boot. */
static const int64_t wall_start_ns = INT64_C(1767225600) * NS_PER_S;
static const int64_t start_ns = INT64_C(3600) * NS_PER_S;

void calls_pass(uint64_t ns)
{
    passed_ns += (int64_t)ns;
}

uint64_t calls_passed(void)
{
    return (uint64_t)passed_ns;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *rest);
bool __wrap_fz_counter_usable(void);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
    int64_t ns = passed_ns + (clock == CLOCK_REALTIME ? wall_start_ns : start_ns);

    *ret = (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
    return 0;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *rest)
{
    struct timespec now;

    (void)rest;
    int64_t ns = (int64_t)wanted->tv_sec * NS_PER_S + wanted->tv_nsec;
    (void)__wrap_clock_gettime(clock, &now);
    if ((flags & TIMER_ABSTIME) != 0)
        ns -= (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
    if (ns > 0)
        calls_pass((uint64_t)ns);
    return 0;
}

/* It goes on while time stands still. */
bool __wrap_fz_counter_usable(void)
{
    return false;
}
