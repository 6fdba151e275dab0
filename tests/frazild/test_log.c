/* SPDX-License-Identifier: MIT */
/* Goal of this test: clients do not fill the log, and what is left out of it is told once. */
#include "captured_log.h"
#include "clock.h"
#include "lib/test.h"
#include "log.h"

#include <time.h>

static uint64_t minute;

#pragma GCC visibility push(default)
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);
#pragma GCC visibility pop

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
    (void)clock;
    *ret = (struct timespec){.tv_sec = (time_t)(60 * minute)};
    return 0;
}

/* Logs so many lines before what is to be said of those left out, and so many after it; what standard error has got
 * then, for the caller to free. */
static char *log_around(unsigned before_it, unsigned after_it)
{
    struct captured_log log = capture_log();

    for (unsigned i = 0; i < before_it; i++)
        log_line(LOG_BROKEN, "no");
    log_left_out(false);
    for (unsigned i = 0; i < after_it; i++)
        log_line(LOG_BROKEN, "no");
    return captured(log);
}

static char *log_lines(unsigned count)
{
    return log_around(0, count);
}

TEST("A minute has twenty lines, and when it is over the log says how many were left out, once")
{
    char *first = log_lines(25);
    char *same_minute = log_lines(1);
    minute = 1;
    char *second = log_lines(1);
    minute = 2;
    char *third = log_lines(21);
    minute = 3;
    char *fourth = log_lines(1);

    assert_int_equal(strlen(first), 20 * strlen("frazild: no\n"));
    assert_string_equal(same_minute, "");
    assert_string_equal(second,
                        "frazild: 6 lines about clients that broke their protocol were left out\nfrazild: no\n");
    assert_int_equal(strlen(third), 20 * strlen("frazild: no\n"));
    assert_string_equal(fourth, "frazild: 1 line about clients that broke their protocol was left out\nfrazild: no\n");
    free(first);
    free(same_minute);
    free(second);
    free(third);
    free(fourth);
}

TEST("What was left out is told after its minute, although this one has left out more already")
{
    minute = 10;
    free(log_lines(21));
    minute = 11;
    char *text = log_around(21, 0);

    assert_string_equal(text + 20 * strlen("frazild: no\n"),
                        "frazild: 2 lines about clients that broke their protocol were left out\n");
    free(text);
}
