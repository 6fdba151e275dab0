/* SPDX-License-Identifier: MIT */
/* Goal of this test: a failure of a coordinator is told as what it is. */
#include "core/sentence.h"
#include "lease/lease_internal.h"
#include "lib/test.h"

/* A reply of a coordinator, and the error that it becomes. */
struct telling {
    frazil_err said;
    const char *sentence;
};

static void assert_told(enum fz_register_result result, const struct telling *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        frazil_error said;
        frazil_error why;
        assert_int_equal(fz_fail(&said, rows[i].said, "it said so"), rows[i].said);
        assert_int_equal(fz_register_error(result, "orders", &said, &why), FRAZIL_EUNREACHABLE);
        assert_string_equal(why.message, rows[i].sentence);
    }
}

TEST("A coordinator that answers is not told to be out of reach, and a cause that passes by itself is told apart")
{
    static const struct telling rows[] = {
        {FRAZIL_EUNREACHABLE, "the coordinator of namespace 'orders' cannot be reached: it said so"},
        {FRAZIL_EAGAIN, "the coordinator of namespace 'orders' cannot serve for a while: it said so"},
        {FRAZIL_EREFUSED, "the coordinator of namespace 'orders' cannot serve until that is fixed: it said so"},
        {FRAZIL_ESYS, "the coordinator of namespace 'orders' cannot serve until that is fixed: it said so"},
    };

    assert_told(FZ_REGISTER_UNREACHABLE, rows, sizeof rows / sizeof rows[0]);
}

TEST("What is not known to be done was not answered by a server, or went wrong on this host")
{
    static const struct telling rows[] = {
        {FRAZIL_EUNREACHABLE, "the coordinator of namespace 'orders' did not answer: it said so"},
        {FRAZIL_ESYS, "the coordinator of namespace 'orders' cannot tell whether the write happened: it said so"},
    };

    assert_told(FZ_REGISTER_UNKNOWN, rows, sizeof rows / sizeof rows[0]);
}
