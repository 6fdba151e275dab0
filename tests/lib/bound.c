/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* prctl */
#include "bound.h"

#include <signal.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

void bound_to(pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) /* it ended before it was bound */
        _exit(126);
}

pid_t bound_fork(void)
{
    pid_t parent = getpid();
    pid_t pid = fork();

    if (pid == 0)
        bound_to(parent);
    return pid;
}

int bound_run(int (*work)(void))
{
    int status;

    pid_t pid = bound_fork();
    if (pid == 0)
        _exit(work());
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
