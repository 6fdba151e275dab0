/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a coordinator that a program gives serves the URLs whose schemes are its own, by its row of the
 * table, or by its own list if it is in none.
 */
#include "config/coordinators.h"
#include "lib/test.h"

static const char *const own_schemes[] = {"mine", "ours", NULL};
static const frazil_coordinator etcd = {FZ_COORDINATOR_BUILD, .part = "etcd"};
static const frazil_coordinator redis = {FZ_COORDINATOR_BUILD, .part = "redis"};
static const frazil_coordinator own = {FZ_COORDINATOR_BUILD, .part = "own", .schemes = own_schemes};
static const frazil_coordinator *const given[] = {&own, &etcd, &redis, NULL};

static const frazil_coordinator *coordinator_of(const char *url)
{
    const frazil_coordinator *ret = NULL;
    frazil_error why;

    if (fz_coordinator_for("worker", url, given, &ret, &why) != FRAZIL_OK)
        fail_msg("%s: %s", url, why.message);
    return ret;
}

TEST("Each scheme of its row leads to it, and those of others do not")
{
    assert_ptr_equal(coordinator_of("etcd://host/orders"), &etcd);
    assert_ptr_equal(coordinator_of("etcds://host/orders"), &etcd);
    assert_ptr_equal(coordinator_of("redis://host/orders"), &redis);
    assert_ptr_equal(coordinator_of("rediss://host/orders"), &redis);
    assert_ptr_equal(coordinator_of("konayuki+redis+unix:///socket"), &redis);
}

TEST("One that no row has brings its schemes")
{
    assert_ptr_equal(coordinator_of("mine://host"), &own);
    assert_ptr_equal(coordinator_of("ours://host"), &own);
}
