/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the peculiarities of ZooKeeper's URLs, and the names and texts of its nodes.  unit/test_url.c
 * tests the rules of all URLs.
 */

#include "coordinators/zookeeper/zookeeper_record.h"
#include "coordinators/zookeeper/zookeeper_url.h"
#include "lib/test.h"
#include "lib/url_rig.h"

URL_PARSE(struct fz_zookeeper_url, fz_zookeeper_url_kind)

TEST("Servers, namespace, path and timeout, with their defaults")
{
    struct fz_zookeeper_url url = parse("zookeeper://example.org/orders");

    assert_int_equal(url.common.host_count, 1);
    assert_string_equal(url.common.hosts[0].name, "example.org");
    assert_int_equal(url.common.hosts[0].port, 2181);
    assert_string_equal(url.common.name, "orders");
    assert_string_equal(url.path, "/frazil");
    assert_int_equal(url.common.access.timeout_ms, 1000);
    assert_string_equal(url.common.access.user, "");
    assert_string_equal(url.common.access.password, "");

    url = parse("zookeeper://zk1,10.0.0.7:2182,[2001:db8::1]:2183,[::1]/a.b_c-d:e?timeout=250ms&path=/ids/of%2Fall");
    assert_int_equal(url.common.host_count, 4);
    assert_string_equal(url.common.hosts[0].name, "zk1");
    assert_int_equal(url.common.hosts[0].port, 2181);
    assert_string_equal(url.common.hosts[1].name, "10.0.0.7");
    assert_int_equal(url.common.hosts[1].port, 2182);
    assert_string_equal(url.common.hosts[2].name, "2001:db8::1");
    assert_int_equal(url.common.hosts[2].port, 2183);
    assert_string_equal(url.common.hosts[3].name, "::1");
    assert_string_equal(url.common.name, "a.b_c-d:e");
    assert_string_equal(url.path, "/ids/of/all");
    assert_string_equal(parse("zookeeper://h/x?path=/zookeeper2").path, "/zookeeper2");
    assert_int_equal(url.common.access.timeout_ms, 250);
}

TEST("A shown URL has neither user nor password")
{
    char shown[FZ_ZOOKEEPER_SHOWN_SIZE];
    struct fz_zookeeper_url url = parse("zookeeper://joe:s3cret@h,[::1]:7/x?path=/a/b");

    fz_zookeeper_url_show(&url, shown);
    assert_string_equal(shown, "zookeeper://h:2181,[::1]:7/a/b/x");
}

TEST("Everything else is refused with what is wrong; no sentence has a password, wherever in the URL the mistake is")
{
    static const char *const texts[][2] = {
        {"", "this is no ZooKeeper URL"},
        {"zookeeper://h/.", "no node of a ZooKeeper can have the name '.'"},
        {"zookeeper://h/..", "no node of a ZooKeeper can have the name '..'"},
        {"zookeeper://a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q/x", "more than 16 hosts"},
        {"zookeeper://h/x?path=", "must be the path of a node"},
        {"zookeeper://h/x?path=/", "must be the path of a node"},
        {"zookeeper://h/x?path=frazil", "must be the path of a node"},
        {"zookeeper://h/x?path=/frazil/", "must be the path of a node"},
        {"zookeeper://h/x?path=//frazil", "must be the path of a node"},
        {"zookeeper://h/x?path=/a/../b", "must be the path of a node"},
        {"zookeeper://h/x?path=/a%20b", "must be the path of a node"},
        {"zookeeper://h/x?path=/zookeeper", "which is ZooKeeper's own"},
        {"zookeeper://h/x?path=/zookeeper/x", "which is ZooKeeper's own"},
        {"zookeeper://h/x?db=1", "'db' is not a key of a ZooKeeper URL"},
        {"zookeeper://h/x?user=joe", "a user without a password"},
        {"zookeeper://:s3cret@h/x", "a password without a user"},
        {"zookeeper://a%3Ab:s3cret@h/x", "has a ':'"},
        {"zookeeper://s3cret@h/x", "there is no ':'"},
        {"zookeeper://h/x?user=joe&password_file=", "names no file"},
    };

    url_assert_all_refused(fz_zookeeper_url_kind, texts, sizeof texts / sizeof texts[0]);
}

TEST("Nothing that is too long is cut")
{
    char text[700];
    char name[64];

    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(text, sizeof text, "zookeeper://h/x?path=/%s/%s/%s/%.62s", name, name, name, name);
    assert_int_equal(strlen(parse(text).path), 255);
    snprintf(text, sizeof text, "zookeeper://h/x?path=/%s/%s/%s/%s", name, name, name, name);
    url_assert_refused(fz_zookeeper_url_kind, text, FRAZIL_ESPEC, "must be the path of a node");
    snprintf(text, sizeof text, "zookeeper://h/x?path=/%sn", name);
    url_assert_refused(fz_zookeeper_url_kind, text, FRAZIL_ESPEC, "must be the path of a node");
}

/* ---- nodes ------------------------------------------------------------------------ */

TEST("Nodes have the names of their records, and those below them their versions")
{
    char path[FZ_ZOOKEEPER_NODE_SIZE];

    fz_zookeeper_node_path("/frazil/orders", 7, 0, path);
    assert_string_equal(path, "/frazil/orders/7");
    fz_zookeeper_node_path("/frazil/orders", FZ_NAMESPACE, UINT64_MAX, path);
    assert_string_equal(path, "/frazil/orders/namespace/18446744073709551615");
}

TEST("The longest path and name fit into what a node's path has")
{
    char folder[FZ_ZOOKEEPER_NODE_SIZE];
    char path[FZ_ZOOKEEPER_NODE_SIZE];
    const size_t len = FZ_ZOOKEEPER_PATH_SIZE - 1 + 1 + FZ_URL_NAMESPACE_SIZE - 1;

    memset(folder, 'n', len);
    folder[len] = '\0';
    fz_zookeeper_node_path(folder, FZ_NAMESPACE, UINT64_MAX, path);
    assert_string_equal(path + len, "/namespace/18446744073709551615");
}

TEST("A version that leaves no next one is no version")
{
    struct fz_record record = {.version = 0};

    assert_true(fz_zookeeper_record_read("9223372036854775807 x", 21, &record));
    assert_true(record.version == FZ_ZOOKEEPER_VERSION_MAX);
    record.version = 4711;
    assert_false(fz_zookeeper_record_read("9223372036854775808 x", 21, &record));
    assert_false(fz_zookeeper_record_read("0 x", 3, &record));
    assert_int_equal(record.version, 4711);
}
