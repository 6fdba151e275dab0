/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the peculiarities of etcd's URLs.  unit/test_url.c tests the rules of all URLs.
 */

#include "coordinators/etcd/etcd_url.h"
#include "lib/test.h"
#include "lib/url_rig.h"

URL_PARSE(struct fz_etcd_url, fz_etcd_url_kind)

TEST("Hosts, namespace and time, with their defaults")
{
    struct fz_etcd_url url = parse("etcd://example.org/orders");

    assert_false(url.common.tls);
    assert_int_equal(url.common.host_count, 1);
    assert_string_equal(url.common.hosts[0].name, "example.org");
    assert_int_equal(url.common.hosts[0].port, 2379);
    assert_string_equal(url.common.name, "orders");
    assert_int_equal(url.common.access.timeout_ms, 1000);
    assert_string_equal(url.common.access.user, "");
    url = parse("etcd://a,b:1,[::1]:2/x?timeout=5s");
    assert_int_equal(url.common.host_count, 3);
    assert_string_equal(url.common.hosts[2].name, "::1");
    assert_int_equal(url.common.hosts[2].port, 2);
    assert_int_equal(url.common.access.timeout_ms, 5000);
    assert_int_equal(parse("etcd://1,2,3,4,5,6,7,8,9/x").common.host_count, 9);
}

TEST("The user, and the files of TLS")
{
    struct fz_etcd_url url = parse("etcds://joe:s3cret%40@h/x?ca=/a%20b&cert=c&key=k");

    assert_true(url.common.tls);
    assert_string_equal(url.common.access.user, "joe");
    assert_string_equal(url.common.access.password, "s3cret@");
    assert_string_equal(url.ca, "/a b");
    assert_string_equal(url.cert, "c");
    assert_string_equal(url.key, "k");
    assert_string_equal(parse("etcds://h/x").ca, "");
}

TEST("A shown URL has one host, and neither user nor password")
{
    char shown[FZ_ETCD_SHOWN_SIZE];
    struct fz_etcd_url url = parse("etcds://joe:s3cret@h,[::1]:7/x");

    fz_etcd_url_show(&url, 0, shown);
    assert_string_equal(shown, "etcds://h:2379/x");
    fz_etcd_url_show(&url, 1, shown);
    assert_string_equal(shown, "etcds://[::1]:7/x");
}

TEST("Everything else is refused with what is wrong")
{
    static const char *const texts[][2] = {
        {"etcd:/h/x", "no etcd URL: write etcd://"},
        {"etcd://h", "names no namespace"},
        {"etcd://1,2,3,4,5,6,7,8,9,10/x", "more than 9 hosts"},
        {"etcd://a#b/x", "'a#b' in the etcd URL is not a host"},
        {"etcd://a,b\\c/x", "is not a host"},
        {"etcd://:s3cret@h/x", "a password without a user"},
        {"etcd://joe@h/x", "there is no ':'"},
        {"etcd://h/x?user=joe", "a user without a password"},
        {"etcd://h/x?ca=f", "write etcds://"},
        {"etcd://h/x?cert=f&key=f", "write etcds://"},
        {"etcds://h/x?cert=f", "one of cert and key"},
        {"etcds://h/x?key=f", "one of cert and key"},
        {"etcds://h/x?ca=", "'ca' in the etcd URL names no file"},
        {"etcd://h/x?db=1", "the keys are ca, cert, key, timeout, password_file and user"},
    };

    url_assert_all_refused(fz_etcd_url_kind, texts, sizeof texts / sizeof texts[0]);
}
