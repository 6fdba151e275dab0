/* SPDX-License-Identifier: MIT */
/* Goal of this test: with file-lock, an opening waits for a number of a full pool within open_wait. */
#include "lib/full_pool.h"
#include "lib/scratch.h"
#include "lib/test.h"

EACH_ON_SCRATCH_HOST

/* A spec for the directories of that name. */
static const char *spec_of(char ret[1024], const char *name, unsigned count)
{
    snprintf(ret, 1024, "worker=file-lock count=%u state=file run_dir=%s/%s-run state_dir=%s/%s-state host_dir=%s",
             count, scratch, name, scratch, name, host);
    return ret;
}

TEST("An opening over a full pool gets the number of a holder that closes, also that of another run directory")
{
    char own[1024], other[1024];

    spec_of(own, "own", 1);
    full_pool_lets_in(own, own, NULL);
    full_pool_lets_in(spec_of(other, "other", 1), own, NULL);
}

TEST("If no holder closes, it fails when open_wait is over, and cannot say when one will")
{
    char own[1024], other[1024];
    uint64_t retry_ns;

    spec_of(own, "own", 1);
    full_pool_refuses_at_the_end(own, own, NULL, "own-run/", &retry_ns);
    assert_int_equal(retry_ns, 0);
    full_pool_refuses_at_the_end(spec_of(other, "other", 1), own, NULL, "other-run", &retry_ns);
    assert_int_equal(retry_ns, 0);
}

TEST("Each process of a crowd gets its turn on few numbers")
{
    char own[1024];

    full_pool_serves_a_crowd(spec_of(own, "own", 3), NULL);
}
