/* SPDX-License-Identifier: MIT */
/*
 * The calls of the system and of libc that frazil makes and that can fail, so
 * that a test can let one of them fail.  The stand-ins are linked into
 * the programs of this folder only; calls.c defines them or, where a sanitizer
 * has its own, the linker gives us those of frazil alone (--wrap).
 *
 * Time stands still, and passes only when somebody sleeps.  No sync goes to a
 * disk: what would have been durable is written down by disk_log.h.
 */
#ifndef TESTS_FAULTS_CALLS_H
#define TESTS_FAULTS_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* X(name, errors that it can have): fails with -1 and errno, or as its manual says. */
#define CALLS(X)                                                                                                       \
    X(open, EIO, ENOSPC, EINTR, EMFILE, ENOMEM)                                                                        \
    X(close, EIO, EINTR)                                                                                               \
    X(read, EIO, EINTR, EAGAIN)                                                                                        \
    X(pread, EIO, EINTR)                                                                                               \
    X(write, EIO, ENOSPC, EINTR)                                                                                       \
    X(pwrite, EIO, ENOSPC, EINTR)                                                                                      \
    X(fsync, EIO, ENOSPC, EINTR)                                                                                       \
    X(fdatasync, EIO, ENOSPC, EINTR)                                                                                   \
    X(ftruncate, EIO, EINTR)                                                                                           \
    X(posix_fallocate, EIO, ENOSPC, EINTR)                                                                             \
    X(fstat, EIO, ENOMEM, ESTALE)                                                                                      \
    X(stat, EIO, ENOMEM, ESTALE)                                                                                       \
    X(lstat, EIO, ENOMEM, ESTALE)                                                                                      \
    X(statfs, EIO, ENOMEM)                                                                                             \
    X(fchmod, EIO)                                                                                                     \
    X(faccessat, EIO, ENOMEM)                                                                                          \
    X(mkdir, EIO, ENOSPC, ENOMEM)                                                                                      \
    X(rename, EIO, ENOSPC, ENOMEM)                                                                                     \
    X(unlink, EIO, ENOMEM)                                                                                             \
    X(opendir, EIO, EMFILE, ENOMEM)                                                                                    \
    X(readdir, EIO)                                                                                                    \
    X(flock, EINTR, EAGAIN, ENOLCK)                                                                                    \
    X(mmap, ENOMEM, EAGAIN)                                                                                            \
    X(madvise, EAGAIN, ENOMEM)                                                                                         \
    X(memfd_create, EMFILE, ENOMEM)                                                                                    \
    X(getentropy, EIO)                                                                                                 \
    X(gethostname, EIO)                                                                                                \
    X(socket, EMFILE, ENOMEM)                                                                                          \
    X(connect, EAGAIN)                                                                                                 \
    X(getsockname, ENOMEM)                                                                                             \
    X(adjtimex, EPERM)                                                                                                 \
    X(fork, EAGAIN, ENOMEM)                                                                                            \
    X(waitpid, EINTR)                                                                                                  \
    X(malloc, ENOMEM)                                                                                                  \
    X(calloc, ENOMEM)                                                                                                  \
    X(aligned_alloc, ENOMEM)                                                                                           \
    X(realloc, ENOMEM)                                                                                                 \
    X(strdup, ENOMEM)                                                                                                  \
    X(strndup, ENOMEM)                                                                                                 \
    X(pthread_create, EAGAIN)                                                                                          \
    X(pthread_mutex_init, ENOMEM)                                                                                      \
    X(pthread_mutexattr_init, ENOMEM)                                                                                  \
    X(pthread_cond_init, ENOMEM)                                                                                       \
    X(pthread_condattr_init, ENOMEM)

enum call {
#define CALL_ENUM(name, ...) CALL_##name,
    CALLS(CALL_ENUM)
#undef CALL_ENUM
        CALLS_TOTAL
};

enum { CALL_ERRORS = 6, CALLS_MAX = 4096 };

/* The faults to come, and the calls so far. */
struct calls {
    unsigned fails_at; /* the first call that fails, counted from 1; 0: none does */
    bool for_good;     /* and so do all after it that can fail like that */
    int error;

    unsigned made;
    enum call which[CALLS_MAX]; /* call 1 is at 0 */
    enum call struck;           /* the call that failed, the last one if there were several */
    unsigned strikes;
    unsigned strikes_on[CALLS_TOTAL];
};

extern struct calls calls;

/* From here on this thread's calls are counted, and fail. */
void calls_arm(unsigned fails_at, bool for_good, int error);
void calls_disarm(void);

/* Blocks of memory and mappings that frazil has taken, in whatever thread, and not yet given back. */
long calls_blocks(void);
long calls_maps(void);

/* A call's name, and the errors that it can have, with 0 behind the last one. */
const char *call_name(enum call call);
const int *call_errors(enum call call);

/* Wall clock and monotonic clock go on by so much. */
void calls_pass(uint64_t ns);

/* How much has passed. */
uint64_t calls_passed(void);

#endif
