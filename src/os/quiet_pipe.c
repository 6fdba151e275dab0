/* SPDX-License-Identifier: MIT */
#include "quiet_pipe.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static bool is_pending(void)
{
    sigset_t pending;

    return sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
}

void fz_quiet_pipe_begin(struct fz_quiet_pipe *quiet)
{
    sigset_t pipe_only;

    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    /* One that is pending already is the program's: it has blocked it, and so none of ours can do harm. */
    quiet->active = !is_pending() && pthread_sigmask(SIG_BLOCK, &pipe_only, &quiet->before) == 0;
}

void fz_quiet_pipe_end(const struct fz_quiet_pipe *quiet)
{
    const struct timespec at_once = {0, 0};
    sigset_t pipe_only;
    int saved = errno;

    if (!quiet->active)
        return;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    if (is_pending()) {
        while (sigtimedwait(&pipe_only, NULL, &at_once) < 0 && errno == EINTR)
            continue;
    }
    pthread_sigmask(SIG_SETMASK, &quiet->before, NULL);
    errno = saved;
}
