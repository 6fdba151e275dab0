/* SPDX-License-Identifier: MIT */
/*
 * Tests that pass, fail and are skipped, for selftest.sh to look at.
 */
#include "lib/test.h"

static bool is_set_up;

BEFORE_ALL
{
    print_message("before all\n");
}

AFTER_ALL
{
    print_message("after all\n");
}

BEFORE_EACH
{
    is_set_up = true;
}

AFTER_EACH
{
    print_message("after %s\n", is_set_up ? "one that was set up" : "another");
    is_set_up = false;
}

TEST("The first holds")
{
    assert_true(is_set_up);
}

TEST("The second is skipped")
{
    skip();
}

TEST("The third fails")
{
    assert_false(is_set_up);
}

TEST("The fourth holds: 100 % of it")
{
    assert_true(is_set_up);
}
