/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the peculiarities of Redis' URLs.  unit/test_url.c tests the rules of all URLs.
 */

#include "coordinators/redis/redis_register.h"
#include "coordinators/redis/redis_url.h"
#include "lib/test.h"
#include "lib/url_rig.h"

URL_PARSE(struct fz_redis_url, fz_redis_url_kind)

TEST("Host, port, namespace and database, with their defaults")
{
    struct fz_redis_url url = parse("redis://example.org/orders");

    assert_false(url.common.tls || url.common.is_path);
    assert_string_equal(url.common.hosts[0].name, "example.org");
    assert_int_equal(url.common.hosts[0].port, 6379);
    assert_string_equal(url.common.name, "orders");
    assert_int_equal(url.db, 0);
    assert_int_equal(url.common.access.timeout_ms, 1000);
    assert_int_equal(url.wait_replicas, 0);
    assert_string_equal(url.common.access.user, "");
    assert_string_equal(url.common.access.password, "");

    url = parse("redis://10.0.0.7:7000/a.b_c-d:e?db=15&timeout=250ms&wait=2");
    assert_string_equal(url.common.hosts[0].name, "10.0.0.7");
    assert_int_equal(url.common.hosts[0].port, 7000);
    assert_string_equal(url.common.name, "a.b_c-d:e");
    assert_int_equal(url.db, 15);
    assert_int_equal(url.common.access.timeout_ms, 250);
    assert_int_equal(url.wait_replicas, 2);

    url = parse("redis://[2001:db8::1]:7000/x");
    assert_string_equal(url.common.hosts[0].name, "2001:db8::1");
    assert_int_equal(url.common.hosts[0].port, 7000);
    assert_string_equal(parse("redis://[::1]/x").common.hosts[0].name, "::1");
    assert_true(parse("rediss://h/x").common.tls);
}

TEST("A socket's path may have any number of components; the last part is the namespace")
{
    struct fz_redis_url url = parse("redis+unix:///run/redis/redis.sock/orders?db=3");

    assert_true(url.common.is_path);
    assert_string_equal(url.common.hosts[0].name, "/run/redis/redis.sock");
    assert_string_equal(url.common.name, "orders");
    assert_int_equal(url.db, 3);
}

TEST("A shown URL has neither user nor password")
{
    char shown[FZ_REDIS_SHOWN_SIZE];
    struct fz_redis_url url = parse("redis://joe:s3cret@h:7000/x?db=2");

    fz_redis_url_show(&url, shown);
    assert_string_equal(shown, "redis://h:7000/x?db=2");
    url = parse("redis://[::1]/x");
    fz_redis_url_show(&url, shown);
    assert_string_equal(shown, "redis://[::1]:6379/x?db=0");
    url = parse("redis+unix:///a/b/x?db=1");
    fz_redis_url_show(&url, shown);
    assert_string_equal(shown, "redis+unix:///a/b/x?db=1");
    url = parse("rediss://h/x");
    fz_redis_url_show(&url, shown);
    assert_string_equal(shown, "rediss://h:6379/x?db=0");
}

TEST("Everything else is refused with what is wrong; no sentence has a password, wherever in the URL the mistake is")
{
    static const char *const texts[][2] = {
        {"", "no Redis URL"},
        {"redis://a,b/x", "names more than 1 host"},
        {"redis://joe@h/x", "there is no ':'"},
        {"redis://h/x?user=joe", "a user without a password"},
        {"redis://h/x?db=", "'db' in the Redis URL must be a number"},
        {"redis://h/x?db=65536", "from 0 to 65535"},
        {"redis://h/x?db=-1", "from 0 to 65535"},
        {"redis://h/x?db=s3cret", "from 0 to 65535"},
        {"redis://h/x?wait=17", "from 0 to 16"},
        {"redis://h/x?database=1", "the keys are db, wait, timeout, password_file and user"},
        {"redis+unix://run/redis.sock/x", "absolute path"},
        {"redis+unix:///x", "absolute path"},
        {"redis+unix:///run/redis.sock/", "names no namespace"},
    };

    url_assert_all_refused(fz_redis_url_kind, texts, sizeof texts / sizeof texts[0]);
}

static void assert_not_opened(const char *url, frazil_err code, const char *words)
{
    struct fz_register reg = {.ctx = NULL};
    char name[FZ_LEASE_NAME_SIZE];
    frazil_error err;

    assert_int_equal(fz_redis_register_open(url, &reg, name, &err), code);
    assert_non_null(strstr(err.message, words));
    assert_null(strstr(err.message, "s3cret"));
    assert_null(reg.ctx);
}

TEST("TLS is asked for by its own scheme, and refused: frazil does not speak it to Redis")
{
    assert_not_opened("rediss://:s3cret@h/x", FRAZIL_ENOTBUILT, "asks for TLS, which frazil does not speak to Redis");
}

TEST("A namespace of digits alone is refused: it is the number of a database for other clients")
{
    assert_not_opened("redis://:s3cret@h/0", FRAZIL_ESPEC, "database 0 is /NAME?db=0");
    assert_int_equal(fz_redis_url_check_namespace("15", NULL), FRAZIL_ESPEC);
    assert_int_equal(fz_redis_url_check_namespace("7b", NULL), FRAZIL_OK);
    assert_int_equal(fz_redis_url_check_namespace("orders", NULL), FRAZIL_OK);
}
