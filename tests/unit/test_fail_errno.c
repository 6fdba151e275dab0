/* SPDX-License-Identifier: MIT */
/* Goal of this test: what the loader says of a file tells what is wanting, and to whom. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/test.h"
#include "os/fail_errno.h"

static int said_of(int sys_errno)
{
    char sentence[256];

    (void)snprintf(sentence, sizeof sentence, "libx.so.1: cannot open shared object file: %s", strerror(sys_errno));
    return fz_errno_said(sentence);
}

TEST("A file that is not there or closed to this user, and memory that is wanting")
{
    assert_int_equal(said_of(ENOENT), ENOENT);
    assert_int_equal(said_of(EACCES), EACCES);
    assert_int_equal(said_of(ENOMEM), ENOMEM);
    assert_int_equal(said_of(ENOEXEC), 0);
}

TEST("Descriptors that are wanting to the process, to the system, or not at all")
{
    assert_int_equal(said_of(EMFILE), EMFILE);
    assert_int_equal(said_of(ENFILE), ENFILE);
    assert_int_equal(fz_errno_said(""), 0);
}
