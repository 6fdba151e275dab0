/* SPDX-License-Identifier: MIT */
#include "quiet_signal.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static bool is_pending(int number)
{
    sigset_t pending;

    return sigpending(&pending) == 0 && sigismember(&pending, number) == 1;
}

static sigset_t only(int number)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, number);
    return set;
}

void fz_quiet_signal_begin(struct fz_quiet_signal *quiet, int number)
{
    sigset_t set = only(number);

    quiet->number = number;
    quiet->active = pthread_sigmask(SIG_BLOCK, &set, &quiet->before) == 0;
    /* One that is pending already is the program's: it has blocked it, and so none of ours can do harm. */
    if (quiet->active && sigismember(&quiet->before, number) == 1 && is_pending(number))
        quiet->active = false;
}

void fz_quiet_signal_end_unraised(const struct fz_quiet_signal *quiet)
{
    int saved = errno;

    if (quiet->active)
        pthread_sigmask(SIG_SETMASK, &quiet->before, NULL);
    errno = saved;
}

void fz_quiet_signal_end(const struct fz_quiet_signal *quiet)
{
    const struct timespec at_once = {0, 0};
    sigset_t set = only(quiet->number);
    int saved = errno;

    if (!quiet->active)
        return;
    if (is_pending(quiet->number)) {
        while (sigtimedwait(&set, NULL, &at_once) < 0 && errno == EINTR)
            continue;
    }
    pthread_sigmask(SIG_SETMASK, &quiet->before, NULL);
    errno = saved;
}
