/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* setresuid */
#include "lib/users.h"

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/asserts.h"
#include "lib/bound.h"

void become(uid_t uid)
{
    const pid_t parent = getppid();

    if (setgroups(0, NULL) != 0 || setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0)
        _exit(99);
    bound_to(parent); /* a process that changes its user is bound no more */
}

int as_user(uid_t uid, int (*act)(void *ctx), void *ctx)
{
    int status = -1;
    pid_t pid = bound_fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        become(uid);
        _exit(act(ctx));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}
