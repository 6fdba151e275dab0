/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: where no page is wiped in a child, a process still has
 * another name than each that it descends from (I5).  This holds even if it was given
 * the id of one that has ended, as far as the system can tell.
 */
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/test.h"
#include "os/fork_mark.h"

enum { GENERATIONS = 4 };

static void *name_of_thread(void *ret)
{
    *(uint64_t *)ret = fz_process_name();
    return NULL;
}

TEST("All threads of a process call it the same, and it is never 0")
{
    uint64_t theirs = 0;
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, name_of_thread, &theirs), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_not_equal(theirs, 0);
    assert_int_equal(theirs, fz_process_name());
}

/* 0: this process and all below it have names of their own. */
static int descend(uint64_t *names, unsigned depth)
{
    int status;

    names[depth] = fz_process_name();
    for (unsigned i = 0; i < depth; i++) {
#if defined(FRAZIL_PORTABLE) /* each fork is counted, with any id */
        if (names[depth] >> 32 != (names[i] >> 32) + (depth - i))
            return 2;
#endif
        if (names[i] == names[depth])
            return 1;
    }
    if (depth + 1 == GENERATIONS)
        return 0;
    pid_t child = fork();
    if (child == 0)
        _exit(descend(names, depth + 1));
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

TEST("Each generation has another name than those before it")
{
    uint64_t names[GENERATIONS];

    assert_int_equal(descend(names, 0), 0);
}
