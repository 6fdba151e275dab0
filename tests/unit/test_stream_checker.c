/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the checker of the volume tests finds what it is there to find.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "lib/stream_checker.h"
#include "lib/test.h"

static uint64_t id_of(uint64_t tick, uint64_t worker, uint64_t sequence)
{
    return tick << 22 | worker << 12 | sequence;
}

/* Whether a run that comes after another one is refused. */
static int refuses(uint64_t first, uint64_t first_n, uint64_t second, uint64_t second_n)
{
    struct stream_checker *checker = stream_checker_new();
    int status;

    stream_checker_add(checker, first, first_n);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(STDERR_FILENO);
        stream_checker_add(checker, second, second_n);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    stream_checker_free(checker);
    return status != 0;
}

TEST("Each id once: runs that touch are good, runs that overlap by one are not, at both ends and over words")
{
    for (uint64_t at = 0; at < 200; at += 67) {
        for (uint64_t n = 1; n < 150; n += 49) {
            uint64_t first = id_of(5000, 3, 1000 + at);
            assert_false(refuses(first, n, first + n, 70));
            assert_false(refuses(first, n, first - 70, 70));
            assert_true(refuses(first, n, first + n - 1, 70));
            assert_true(refuses(first, n, first - 70, 71));
            assert_false(refuses(first, n, first + id_of(0, 1, 0), n));
            assert_false(refuses(first, n, first + id_of(1, 0, 0), n));
        }
    }
    assert_false(refuses(id_of(1, 0, 0), 4095, id_of(1, 0, 4095), 1));
    assert_true(refuses(id_of(1, 0, 0), 4096, id_of(1, 0, 4095), 1));
}

TEST("An id too old to be checked is refused, not believed")
{
    assert_false(refuses(id_of(9000, 3, 0), 1, id_of(9000 - STREAM_TICKS + 1, 3, 0), 1));
    assert_true(refuses(id_of(9000, 3, 0), 1, id_of(9000 - STREAM_TICKS, 3, 0), 1));
}
