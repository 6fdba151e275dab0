/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: in a program that has the client library with threads,
 * whose names take the place of those of the one without, nothing is begun.
 */

#include "coordinators/zookeeper/zookeeper_register.h"
#include "lib/test.h"

/* A function that only the library with threads has. */
int zoo_get(void);

int zoo_get(void)
{
    return 0;
}

TEST("Opening says so, and what would be right")
{
    struct fz_register reg = {.ctx = NULL};
    char name[FZ_LEASE_NAME_SIZE];
    frazil_error err;

    assert_int_equal(fz_zookeeper_register_open("zookeeper://joe:s3cret@h/orders", &reg, name, &err), FRAZIL_ENOTBUILT);
    assert_non_null(strstr(err.message, "libzookeeper_mt"));
    assert_null(reg.ctx);
}
