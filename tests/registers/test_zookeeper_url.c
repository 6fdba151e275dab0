/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a ZooKeeper URL means what it says or is refused with what
 * would be right, and a password never gets into a sentence; so do the names and
 * texts of nodes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "registers/zookeeper/zookeeper_record.h"
#include "registers/zookeeper/zookeeper_register.h"
#include "registers/zookeeper/zookeeper_url.h"

static struct fz_zookeeper_url parse(const char *text)
{
    struct fz_zookeeper_url url;
    frazil_error err;

    if (fz_zookeeper_url_parse(text, &url, &err) != FRAZIL_OK)
        fail_msg("%s: %s", text, err.message);
    return url;
}

static void assert_refused(const char *text, frazil_err code, const char *why)
{
    struct fz_zookeeper_url url;
    struct fz_zookeeper_url untouched;
    frazil_error err;

    memset(&url, 0x5a, sizeof url);
    memset(&untouched, 0x5a, sizeof untouched);
    assert_int_equal(fz_zookeeper_url_parse(text, &url, &err), code);
    if (strstr(err.message, why) == NULL)
        fail_msg("%s: %s; wanted: %s", text, err.message, why);
    assert_null(strstr(err.message, "s3cret"));
    assert_memory_equal(&url, &untouched, sizeof url);
}

/* Servers, namespace, path and timeout, with their defaults. */
static void test_places(void **state)
{
    struct fz_zookeeper_url url = parse("zookeeper://example.org/orders");

    (void)state;
    assert_int_equal(url.server_count, 1);
    assert_string_equal(url.servers[0].name, "example.org");
    assert_int_equal(url.servers[0].port, 2181);
    assert_string_equal(url.name, "orders");
    assert_string_equal(url.path, "/frazil");
    assert_int_equal(url.access.timeout_ms, 1000);
    assert_string_equal(url.access.user, "");
    assert_string_equal(url.access.password, "");

    url = parse("zookeeper://zk1,10.0.0.7:2182,[2001:db8::1]:2183,[::1]/a.b_c-d:e?timeout=250ms&path=/ids/of%2Fall");
    assert_int_equal(url.server_count, 4);
    assert_string_equal(url.servers[0].name, "zk1");
    assert_int_equal(url.servers[0].port, 2181);
    assert_string_equal(url.servers[1].name, "10.0.0.7");
    assert_int_equal(url.servers[1].port, 2182);
    assert_string_equal(url.servers[2].name, "2001:db8::1");
    assert_int_equal(url.servers[2].port, 2183);
    assert_string_equal(url.servers[3].name, "::1");
    assert_string_equal(url.name, "a.b_c-d:e");
    assert_string_equal(url.path, "/ids/of/all");
    assert_int_equal(url.access.timeout_ms, 250);
}

/* User and password, percent-encoded or not. */
static void test_credentials(void **state)
{
    struct fz_zookeeper_url url = parse("zookeeper://joe:s3cret@h/x");

    (void)state;
    assert_string_equal(url.access.user, "joe");
    assert_string_equal(url.access.password, "s3cret");
    url = parse("zookeeper://joe:s3cret%40%2f%3F%25@h:1,i/x");
    assert_string_equal(url.access.password, "s3cret@/?%");
    assert_int_equal(url.server_count, 2);
    url = parse("zookeeper://joe:s3/cr:e@t@h/x");
    assert_string_equal(url.access.password, "s3/cr:e@t");
}

/* What is shown of a URL has neither user nor password. */
static void test_show(void **state)
{
    char shown[FZ_ZOOKEEPER_SHOWN_SIZE];
    struct fz_zookeeper_url url = parse("zookeeper://joe:s3cret@h,[::1]:7/x?path=/a/b");

    (void)state;
    fz_zookeeper_url_show(&url, shown);
    assert_string_equal(shown, "zookeeper://h:2181,[::1]:7/a/b/x");
}

/* Everything else is refused with what is wrong; no sentence has a password, wherever in the URL the mistake is. */
static void test_refused(void **state)
{
    static const char *const texts[][2] = {
        {"", "this is no ZooKeeper URL"},
        {"http://h/x", "this is no ZooKeeper URL"},
        {"zookeeper:/h/x", "this is no ZooKeeper URL"},
        {"zookeeper://h", "names no namespace"},
        {"zookeeper://h/", "names no namespace"},
        {"zookeeper://h/a/b", "'a/b', which is none"},
        {"zookeeper://h/a%20b", "which is none"},
        {"zookeeper://h/.", "no node of a ZooKeeper can have the name '.'"},
        {"zookeeper://h/..", "no node of a ZooKeeper can have the name '..'"},
        {"zookeeper:///x", "no host"},
        {"zookeeper://h,/x", "'' in the ZooKeeper URL is no host"},
        {"zookeeper://,h/x", "no host"},
        {"zookeeper://h,i:/x", "port ''"},
        {"zookeeper://h:0/x", "port '0'"},
        {"zookeeper://h:65536/x", "port '65536'"},
        {"zookeeper://h:02181/x", "port '02181'"},
        {"zookeeper://::1/x", "no host"},
        {"zookeeper://[::1/x", "no host"},
        {"zookeeper://[::1]2181/x", "no host"},
        {"zookeeper://a]b/x", "no host"},
        {"zookeeper://a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q/x", "more than 16 hosts"},
        {"zookeeper://h/x?timeout=1", "timeout in the ZooKeeper URL must be from 10ms to 60s"},
        {"zookeeper://h/x?timeout=9ms", "from 10ms to 60s"},
        {"zookeeper://h/x?timeout=61s", "from 10ms to 60s"},
        {"zookeeper://h/x?path=", "must be the path of a node"},
        {"zookeeper://h/x?path=/", "must be the path of a node"},
        {"zookeeper://h/x?path=frazil", "must be the path of a node"},
        {"zookeeper://h/x?path=/frazil/", "must be the path of a node"},
        {"zookeeper://h/x?path=//frazil", "must be the path of a node"},
        {"zookeeper://h/x?path=/a/../b", "must be the path of a node"},
        {"zookeeper://h/x?path=/a%20b", "must be the path of a node"},
        {"zookeeper://h/x?path=/zookeeper", "which is ZooKeeper's own"},
        {"zookeeper://h/x?path=/zookeeper/x", "which is ZooKeeper's own"},
        {"zookeeper://h/x?db=1", "'db' is no key of a ZooKeeper URL"},
        {"zookeeper://h/x?password=1", "'password' is no key"},
        {"zookeeper://h/x?user=joe", "a user without a password"},
        {"zookeeper://h/x?user=", "user in the ZooKeeper URL is empty"},
        {"zookeeper://:s3cret@h/x", "a password without a user"},
        {"zookeeper://joe:@h/x", "the password in the ZooKeeper URL is empty"},
        {"zookeeper://a%3Ab:s3cret@h/x", "has a ':'"},
        {"zookeeper://s3cret@h/x", "there is no ':'"},
        {"zookeeper://joe:s3cret%4@h/x", "percent-encoded"},
        {"zookeeper://joe:s3cret%00@h/x", "percent-encoded"},
        {"zookeeper://joe:s3cret@/x", "no host"},
        {"zookeeper://joe:s3cret@h:x/x", "must be a number from 1 to 65535; if that"},
        {"zookeeper://joe:s3cret@h/x/y", "'x/y', which is none"},
        {"zookeeper://joe:s3cret@h/x?timeout=x", "timeout in the ZooKeeper URL"},
        {"zookeeper://joe:s3?cret@h/x", "write %3F for a '?' in a password"},
        {"zookeeper://joe:s3cret@h/x?password_file=/etc/hostname", "give one of them"},
        {"zookeeper://h/x?user=joe&password_file=", "names no file"},
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
    snprintf(text, sizeof text, "zookeeper://h/%.63s", name);
    assert_int_equal(strlen(parse(text).name), 63);
    snprintf(text, sizeof text, "zookeeper://h/%.64s", name);
    assert_refused(text, FRAZIL_ESPEC, "which is none");
    snprintf(text, sizeof text, "zookeeper://%.255s/x", name);
    assert_int_equal(strlen(parse(text).servers[0].name), 255);
    snprintf(text, sizeof text, "zookeeper://%.256s/x", name);
    assert_refused(text, FRAZIL_ESPEC, "no host");
    snprintf(text, sizeof text, "zookeeper://h/x?path=/%.63s/%.63s/%.63s/%.62s", name, name, name, name);
    assert_int_equal(strlen(parse(text).path), 255);
    snprintf(text, sizeof text, "zookeeper://h/x?path=/%.63s/%.63s/%.63s/%.63s", name, name, name, name);
    assert_refused(text, FRAZIL_ESPEC, "must be the path of a node");
    snprintf(text, sizeof text, "zookeeper://h/x?path=/%.64s", name);
    assert_refused(text, FRAZIL_ESPEC, "must be the path of a node");
    snprintf(text, sizeof text, "zookeeper://joe:%.255s@h/x", name);
    assert_int_equal(strlen(parse(text).access.password), 255);
    snprintf(text, sizeof text, "zookeeper://joe:%.256s@h/x", name);
    assert_refused(text, FRAZIL_ESPEC, "too long");
}

/* The first line of the file is the password, without its end. */
static void test_password_file(void **state)
{
    char path[] = "/tmp/frazil-password-XXXXXX";
    int fd = mkstemp(path);
    char url[256];

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "s3cret\r\nmore", 12), 12);
    close(fd);
    snprintf(url, sizeof url, "zookeeper://h/x?user=joe&password_file=%s", path);
    assert_string_equal(parse(url).access.password, "s3cret");
    assert_string_equal(parse(url).access.user, "joe");
    unlink(path);
    assert_refused(url, FRAZIL_ESYS, path);
}

/* A register knows its namespace without connecting. */
static void test_namespace(void **state)
{
    struct fz_register reg;

    (void)state;
    assert_int_equal(fz_zookeeper_register_open(&reg, "zookeeper://nowhere.invalid/orders", NULL), FRAZIL_OK);
    assert_string_equal(fz_zookeeper_register_namespace(&reg), "orders");
    reg.close(reg.ctx);
    assert_int_equal(fz_zookeeper_register_open(&reg, "zookeeper://h", NULL), FRAZIL_ESPEC);
}

/* ---- nodes ------------------------------------------------------------------------ */

/* Nodes have the names of their records, and those below them their versions. */
static void test_nodes(void **state)
{
    char path[FZ_ZOOKEEPER_NODE_SIZE];

    (void)state;
    fz_zookeeper_node_path("/frazil/orders", 7, 0, path);
    assert_string_equal(path, "/frazil/orders/7");
    fz_zookeeper_node_path("/frazil/orders", FZ_NAMESPACE, UINT64_MAX, path);
    assert_string_equal(path, "/frazil/orders/namespace/18446744073709551615");
}

/* The longest path and name fit into what a node's path has. */
static void test_longest_node(void **state)
{
    char folder[FZ_ZOOKEEPER_NODE_SIZE];
    char path[FZ_ZOOKEEPER_NODE_SIZE];
    const size_t len = FZ_ZOOKEEPER_PATH_SIZE - 1 + 1 + FZ_URL_NAMESPACE_SIZE - 1;

    (void)state;
    memset(folder, 'n', len);
    folder[len] = '\0';
    fz_zookeeper_node_path(folder, FZ_NAMESPACE, UINT64_MAX, path);
    assert_string_equal(path + len, "/namespace/18446744073709551615");
}

/* A version that leaves no next one is no version. */
static void test_last_version(void **state)
{
    struct fz_record record = {.version = 0};

    (void)state;
    assert_true(fz_zookeeper_record_read("9223372036854775807 x", 21, &record));
    assert_true(record.version == FZ_ZOOKEEPER_VERSION_MAX);
    record.version = 4711;
    assert_false(fz_zookeeper_record_read("9223372036854775808 x", 21, &record));
    assert_false(fz_zookeeper_record_read("0 x", 3, &record));
    assert_int_equal(record.version, 4711);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),       cmocka_unit_test(test_credentials), cmocka_unit_test(test_show),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_too_long),    cmocka_unit_test(test_password_file),
        cmocka_unit_test(test_namespace),    cmocka_unit_test(test_nodes),       cmocka_unit_test(test_longest_node),
        cmocka_unit_test(test_last_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
