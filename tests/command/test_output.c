/* SPDX-License-Identifier: MIT */
/* The command writes whole lines, as processes that share a file must not cut each other's. */
#include "lib/test.h"

#include "output.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WRITE_MAX = 1 << 17 };

static char written[WRITE_MAX];

/* Standard output as a socket that keeps each write apart; output_end puts the old one back. */
static int saved, reader;

static void output_begin(void)
{
    int ends[2];

    saved = dup(STDOUT_FILENO);
    assert_true(saved >= 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    assert_int_equal(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
    assert_int_equal(fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK), 0); /* too much is an error and does not hang */
    (void)close(ends[1]);
    reader = ends[0];
}

static void output_end(void)
{
    output_flush();
    assert_int_equal(dup2(saved, STDOUT_FILENO), STDOUT_FILENO); /* which closes the socket: the reader sees the end */
    (void)close(saved);
    assert_false(output_broken());
}

/* The bytes of the next write; 0: there are no more. */
static size_t next_write(void)
{
    ssize_t n = read(reader, written, sizeof written);

    assert_true(n >= 0);
    return (size_t)n;
}

static void test_no_write_ends_within_a_line(void **state)
{
    const uint64_t lines = 6000, first = UINT64_C(12345678901234567);
    uint64_t seen = 0;
    size_t writes = 0, n;

    (void)state;
    output_begin();
    for (uint64_t i = 0; i < lines; i++) {
        output_u64(first + i);
        output_string("\n");
    }
    output_end();
    for (; (n = next_write()) > 0; writes++) {
        assert_int_equal(written[n - 1], '\n');
        for (size_t at = 0; at < n; seen++) {
            char expected[32];
            int len = snprintf(expected, sizeof expected, "%" PRIu64 "\n", first + seen);
            assert_memory_equal(written + at, expected, (size_t)len);
            at += (size_t)len;
        }
    }
    (void)close(reader);
    assert_int_equal(seen, lines);
    assert_true(writes >= 2);
}

static void test_line_longer_than_the_buffer_is_written_in_full(void **state)
{
    static char line[80000];
    size_t sum = 0, n;

    (void)state;
    memset(line, 'a', sizeof line - 1);
    output_begin();
    output_string(line);
    output_string("\n");
    output_end();
    while ((n = next_write()) > 0)
        sum += n;
    (void)close(reader);
    assert_int_equal(sum, sizeof line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_write_ends_within_a_line),
        cmocka_unit_test(test_line_longer_than_the_buffer_is_written_in_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
