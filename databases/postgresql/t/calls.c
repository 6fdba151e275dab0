/* SPDX-License-Identifier: MIT */
/*
 * calls PID: prints how many system calls a backend makes between the next statement that it reads and its answer.
 * Before that it prints "ready", when the statement can be sent, or "refused" if it may not trace that process.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#ifdef SYS_socketcall
#include <linux/net.h>
#endif

static int seize(pid_t pid)
{
    return ptrace(PTRACE_SEIZE, pid, NULL, (void *)PTRACE_O_TRACESYSGOOD) == 0 &&
           ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) == 0;
}

/* Lets it run to the next entry or exit of a call, and passes on its signals; 0: it has ended. */
static int run_to_call(pid_t pid, struct __ptrace_syscall_info *ret)
{
    int status = 0;

    do {
        int is_signal = WIFSTOPPED(status) && status >> 16 == 0;
        long sig = is_signal ? WSTOPSIG(status) : 0;
        if (ptrace(PTRACE_SYSCALL, pid, NULL, (void *)sig) != 0 || waitpid(pid, &status, 0) != pid ||
            !WIFSTOPPED(status))
            return 0;
    } while (WSTOPSIG(status) != (SIGTRAP | 0x80));
    return ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof *ret, ret) > 0;
}

/* The number of a call that begins.  On s390x, recv and send are one call, whose first argument tells them apart. */
static long long number_of(const struct __ptrace_syscall_info *info)
{
#ifdef SYS_socketcall
    if (info->entry.nr == SYS_socketcall && info->entry.args[0] == SYS_RECV)
        return SYS_recvfrom;
    if (info->entry.nr == SYS_socketcall && info->entry.args[0] == SYS_SEND)
        return SYS_sendto;
#endif
    return (long long)info->entry.nr;
}

/* The calls from the one that brings the statement, until the answer is sent; -1: it has ended. */
static int count_calls(pid_t pid)
{
    struct __ptrace_syscall_info info;
    long long number = 0;
    int count = -1; /* no statement was read yet */

    while (run_to_call(pid, &info)) {
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
            number = number_of(&info);
            if (count >= 0 && number == SYS_sendto)
                return count;
            count += count >= 0;
        } else if (count < 0 && number == SYS_recvfrom && info.exit.rval > 0) {
            count = 0;
        }
    }
    return -1;
}

int main(int argc, char **argv)
{
    pid_t pid = argc == 2 ? (pid_t)atoi(argv[1]) : 0;
    int status;

    if (pid <= 0 || !seize(pid) || waitpid(pid, &status, 0) != pid) {
        puts("refused");
        return 0;
    }
    puts("ready");
    fflush(stdout);
    printf("%d\n", count_calls(pid));
    return 0; /* which lets it go */
}
