/* SPDX-License-Identifier: MIT */
/* What standard error gets while a test writes to the log. */
#ifndef TESTS_FRAZILD_CAPTURED_LOG_H
#define TESTS_FRAZILD_CAPTURED_LOG_H

#include "lib/test.h"

#include <stdlib.h>
#include <unistd.h>

struct captured_log {
    FILE *file;
    int before;
};

/* From now on standard error is kept. */
static inline struct captured_log capture_log(void)
{
    struct captured_log log = {.file = tmpfile(), .before = dup(STDERR_FILENO)};

    assert_non_null(log.file);
    assert_int_equal(dup2(fileno(log.file), STDERR_FILENO), STDERR_FILENO);
    return log;
}

/* Ends that.  What was written, for the caller to free. */
static inline char *captured(struct captured_log log)
{
    enum { SIZE = 8192 };
    char *text = calloc(1, SIZE);

    assert_non_null(text);
    assert_int_equal(dup2(log.before, STDERR_FILENO), STDERR_FILENO);
    assert_true(pread(fileno(log.file), text, SIZE - 1, 0) >= 0);
    (void)close(log.before);
    (void)fclose(log.file);
    return text;
}

#endif
