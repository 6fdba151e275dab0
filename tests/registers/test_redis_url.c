/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a Redis URL means what it says or is refused with what would
 * be right, and a password never gets into a sentence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "registers/redis/redis_register.h"
#include "registers/redis/redis_url.h"

static struct fz_redis_url parse(const char *text)
{
    struct fz_redis_url url;
    frazil_error err;

    if (fz_redis_url_parse(text, &url, &err) != FRAZIL_OK)
        fail_msg("%s: %s", text, err.message);
    return url;
}

static void assert_refused(const char *text, frazil_err code, const char *why)
{
    struct fz_redis_url url;
    struct fz_redis_url untouched;
    frazil_error err;

    memset(&url, 0x5a, sizeof url);
    memset(&untouched, 0x5a, sizeof untouched);
    assert_int_equal(fz_redis_url_parse(text, &url, &err), code);
    if (strstr(err.message, why) == NULL)
        fail_msg("%s: %s; wanted: %s", text, err.message, why);
    assert_null(strstr(err.message, "s3cret"));
    assert_memory_equal(&url, &untouched, sizeof url);
}

/* Host, port, namespace and database, with their defaults. */
static void test_tcp(void **state)
{
    struct fz_redis_url url = parse("redis://example.org/orders");

    (void)state;
    assert_false(url.tls || url.is_unix);
    assert_string_equal(url.host.name, "example.org");
    assert_int_equal(url.host.port, 6379);
    assert_string_equal(url.name, "orders");
    assert_int_equal(url.db, 0);
    assert_int_equal(url.access.timeout_ms, 1000);
    assert_int_equal(url.wait_replicas, 0);
    assert_string_equal(url.access.user, "");
    assert_string_equal(url.access.password, "");

    url = parse("redis://10.0.0.7:7000/a.b_c-d:e?db=15&timeout=250ms&wait=2");
    assert_string_equal(url.host.name, "10.0.0.7");
    assert_int_equal(url.host.port, 7000);
    assert_string_equal(url.name, "a.b_c-d:e");
    assert_int_equal(url.db, 15);
    assert_int_equal(url.access.timeout_ms, 250);
    assert_int_equal(url.wait_replicas, 2);

    url = parse("redis://[2001:db8::1]:7000/x");
    assert_string_equal(url.host.name, "2001:db8::1");
    assert_int_equal(url.host.port, 7000);
    assert_string_equal(parse("redis://[::1]/x").host.name, "::1");
    assert_true(parse("rediss://h/x").tls);
}

/* A socket's path may have any number of components; the last part is the namespace. */
static void test_unix(void **state)
{
    struct fz_redis_url url = parse("redis+unix:///run/redis/redis.sock/orders?db=3");

    (void)state;
    assert_true(url.is_unix);
    assert_string_equal(url.host.name, "/run/redis/redis.sock");
    assert_string_equal(url.name, "orders");
    assert_int_equal(url.db, 3);
}

/* User and password, percent-encoded or not. */
static void test_credentials(void **state)
{
    struct fz_redis_url url = parse("redis://:s3cret@h/x");

    (void)state;
    assert_string_equal(url.access.user, "");
    assert_string_equal(url.access.password, "s3cret");
    url = parse("redis://joe:s3cret%40%2f%3F%25@h:1/x");
    assert_string_equal(url.access.user, "joe");
    assert_string_equal(url.access.password, "s3cret@/?%");
    assert_string_equal(url.host.name, "h");
    url = parse("redis://:s3/cr:e@t@h/x");
    assert_string_equal(url.access.password, "s3/cr:e@t");
}

/* What is shown of a URL has neither user nor password. */
static void test_show(void **state)
{
    char shown[FZ_REDIS_SHOWN_SIZE];
    struct fz_redis_url url = parse("redis://joe:s3cret@h:7000/x?db=2");

    (void)state;
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

/* Everything else is refused with what is wrong; no sentence has a password, wherever in the URL the mistake is. */
static void test_refused(void **state)
{
    static const char *const texts[][2] = {
        {"", "no Redis URL"},
        {"http://h/x", "no Redis URL"},
        {"redis:/h/x", "no Redis URL"},
        {"redis://h", "names no namespace"},
        {"redis://h/", "names no namespace"},
        {"redis://h/a/b", "'a/b', which is none"},
        {"redis://h/a%20b", "which is none"},
        {"redis://h/a b", "which is none"},
        {"redis:///x", "no host"},
        {"redis://h:/x", "port ''"},
        {"redis://h:0/x", "port '0'"},
        {"redis://h:65536/x", "port '65536'"},
        {"redis://h:06379/x", "port '06379'"},
        {"redis://::1/x", "write HOST[:PORT], or [ADDRESS]"},
        {"redis://[a[b:c]/x", "no host"},
        {"redis://a\nb/x", "no host"},
        {"redis://[::1/x", "no host"},
        {"redis://[::1]6379/x", "no host"},
        {"redis://a]b/x", "no host"},
        {"redis://h/x?db=", "'db' in the Redis URL must be a number"},
        {"redis://h/x?db=65536", "from 0 to 65535"},
        {"redis://h/x?db=-1", "from 0 to 65535"},
        {"redis://h/x?wait=17", "from 0 to 16"},
        {"redis://h/x?timeout=1", "timeout in the Redis URL must be from 10ms to 60s"},
        {"redis://h/x?timeout=9ms", "from 10ms to 60s"},
        {"redis://h/x?timeout=61s", "from 10ms to 60s"},
        {"redis://h/x?timeout=none", "from 10ms to 60s"},
        {"redis://h/x?db=s3cret", "from 0 to 65535"},
        {"redis://h/x?timeout=s3cret", "from 10ms to 60s"},
        {"redis://h/x?s3cret", "'...' is no key of a Redis URL"},
        {"redis://h/x?database=1", "'database' is no key of a Redis URL"},
        {"redis://h/x?password=1", "'password' is no key"},
        {"redis://h/x?user=joe", "a user without a password"},
        {"redis://h/x?user=", "user in the Redis URL is empty"},
        {"redis://s3cret@h/x", "there is no ':'"},
        {"redis://:@h/x", "password in the Redis URL is empty"},
        {"redis://:s3cret%4@h/x", "percent-encoded"},
        {"redis://:s3cret%00@h/x", "percent-encoded"},
        {"redis://:s3cret@/x", "no host"},
        {"redis://:s3cret@h:x/x", "must be a number from 1 to 65535; if that"},
        {"redis://:s3cret@h/x/y", "'x/y', which is none"},
        {"redis://:s3cret@h/x?db=x", "'db'"},
        {"redis://:s3?cret@h/x", "write %3F for a '?' in a password"},
        {"redis://:s3cret?s3cret@h/x", "write %3F"},
        {"redis://:s3cret@h/x?password_file=/etc/hostname", "give one of them"},
        {"redis://h/x?password_file=", "names no file"},
        {"redis+unix://run/redis.sock/x", "absolute path"},
        {"redis+unix:///x", "absolute path"},
        {"redis+unix:///run/redis.sock/", "names no namespace"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_refused(texts[i][0], FRAZIL_ESPEC, texts[i][1]);
}

/* Nothing that is too long is cut. */
static void test_too_long(void **state)
{
    char text[700];
    char name[400];

    (void)state;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(text, sizeof text, "redis://h/%.63s", name);
    assert_int_equal(strlen(parse(text).name), 63);
    snprintf(text, sizeof text, "redis://h/%.64s", name);
    assert_refused(text, FRAZIL_ESPEC, "which is none");
    snprintf(text, sizeof text, "redis://%.255s/x", name);
    assert_int_equal(strlen(parse(text).host.name), 255);
    snprintf(text, sizeof text, "redis://%.256s/x", name);
    assert_refused(text, FRAZIL_ESPEC, "no host");
    snprintf(text, sizeof text, "redis://:%.255s@h/x", name);
    assert_int_equal(strlen(parse(text).access.password), 255);
    snprintf(text, sizeof text, "redis://:%.256s@h/x", name);
    assert_refused(text, FRAZIL_ESPEC, "too long");
}

/* ---- the password file --------------------------------------------------------- */

static void with_password_file(const char *content, char url[256])
{
    char path[] = "/tmp/frazil-password-XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, strlen(content)), strlen(content));
    close(fd);
    snprintf(url, 256, "redis://h/x?user=joe&password_file=%s", path);
}

static void remove_password_file(const char *url)
{
    unlink(strstr(url, "/tmp/"));
}

/* The first line of the file is the password, without its end. */
static void test_password_file(void **state)
{
    char url[256];
    static const char *const contents[] = {"s3cret", "s3cret\n", "s3cret\r\n", "s3cret\nmore"};

    (void)state;
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) {
        with_password_file(contents[i], url);
        assert_string_equal(parse(url).access.password, "s3cret");
        assert_string_equal(parse(url).access.user, "joe");
        remove_password_file(url);
    }
    assert_refused("redis://h/x?password_file=/nonexistent", FRAZIL_ESYS, "/nonexistent");
    with_password_file("\ns3cret", url);
    assert_refused(url, FRAZIL_ESPEC, "is empty");
    remove_password_file(url);
    char longer[300];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    with_password_file(longer, url);
    assert_refused(url, FRAZIL_ESYS, "cannot be read");
    remove_password_file(url);
}

/* TLS is asked for by its own scheme, and refused clearly where it was not built in. */
static void test_tls(void **state)
{
    struct fz_register reg = {.ctx = NULL};
    frazil_error err;

    (void)state;
    assert_int_equal(fz_redis_register_open(&reg, "rediss://:s3cret@h/x", &err), FRAZIL_ENOTBUILT);
    assert_non_null(strstr(err.message, "asks for TLS"));
    assert_null(strstr(err.message, "s3cret"));
    assert_null(reg.ctx);
}

/* A register knows its namespace without connecting. */
static void test_namespace(void **state)
{
    struct fz_register reg;

    (void)state;
    assert_int_equal(fz_redis_register_open(&reg, "redis://nowhere.invalid/orders", NULL), FRAZIL_OK);
    assert_string_equal(fz_redis_register_namespace(&reg), "orders");
    reg.close(reg.ctx);
    assert_int_equal(fz_redis_register_open(&reg, "redis://h", NULL), FRAZIL_ESPEC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tcp),           cmocka_unit_test(test_unix),    cmocka_unit_test(test_credentials),
        cmocka_unit_test(test_show),          cmocka_unit_test(test_refused), cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_password_file), cmocka_unit_test(test_tls),     cmocka_unit_test(test_namespace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
