/* SPDX-License-Identifier: MIT */
/* Goal of this test: what the loader says of a file tells whether descriptors are wanting, and to whom. */
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

TEST("Descriptors that are wanting to the process, to the system, or not at all")
{
    assert_int_equal(said_of(EMFILE), EMFILE);
    assert_int_equal(said_of(ENFILE), ENFILE);
    assert_int_equal(said_of(ENOENT), 0);
    assert_int_equal(fz_errno_said(""), 0);
}
