/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the peculiarities of MySQL's URLs.  unit/test_url.c tests the rules of all URLs.
 */

#include "coordinators/mysql/mysql_url.h"
#include "lib/test.h"
#include "lib/url_rig.h"

URL_PARSE(struct fz_mysql_url, fz_mysql_url_kind)

TEST("User, host, database and namespace; the port, the timeout and the table are known unless said")
{
    struct fz_mysql_url url = parse("mysql://me@db.example.org/app/orders");

    assert_string_equal(url.common.hosts[0].name, "db.example.org");
    assert_int_equal(url.common.hosts[0].port, 3306);
    assert_string_equal(url.common.access.user, "me");
    assert_string_equal(url.common.access.password, "");
    assert_string_equal(url.database, "app");
    assert_string_equal(url.common.name, "orders");
    assert_string_equal(url.table, "frazil_lease");
    assert_int_equal(url.common.access.timeout_ms, 1000);
    assert_int_equal(url.tls, FZ_MYSQL_TLS_UNSET);

    url = parse("mariadb://us%40er:s3cret%3A@[2001:db8::1]:6543,b/My%2FDb/a.b_c-d:e?timeout=250ms&table=Leases_2");
    assert_int_equal(url.common.host_count, 2);
    assert_string_equal(url.common.hosts[0].name, "2001:db8::1");
    assert_int_equal(url.common.hosts[0].port, 6543);
    assert_int_equal(url.common.hosts[1].port, 3306);
    assert_string_equal(url.common.access.user, "us@er");
    assert_string_equal(url.common.access.password, "s3cret:");
    assert_string_equal(url.database, "My/Db");
    assert_string_equal(url.table, "Leases_2");
}

TEST("A socket in place of a host; one of them, and a user, there must be")
{
    struct fz_mysql_url url = parse("mysql://me@/app/orders?socket=%2Frun/mysqld.sock");

    assert_true(url.common.is_path);
    assert_string_equal(url.common.hosts[0].name, "/run/mysqld.sock");
    url_assert_refused(fz_mysql_url_kind, "mysql://me@/app/orders", FRAZIL_ESPEC, "names no host");
    url_assert_refused(fz_mysql_url_kind, "mysql://h/app/orders", FRAZIL_ESPEC, "names no user");
    url_assert_refused(fz_mysql_url_kind, "mysql://me@h/app/orders?socket=/run/s", FRAZIL_ESPEC,
                       "has both a host and a socket");
    url_assert_refused(fz_mysql_url_kind, "mysql://me@/app/orders?socket=elsewhere", FRAZIL_ESPEC,
                       "socket='elsewhere'");
}

TEST("A host that libmariadb would take apart is refused, wherever it stands")
{
    static const char *const hosts[] = {"h;x", "h;x,i", "h,i;x", "h,i:1,j;"};

    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "mysql://me@%s/app/orders", hosts[i]);
        url_assert_refused(fz_mysql_url_kind, text, FRAZIL_ESPEC, "has a ';' in its name");
    }
}

TEST("Nothing of a table's name has to be quoted in SQL")
{
    static const char *const wrong[] = {"", "a.b", "a b", "a%22b", "a`b", "a;b", "a-b", "a'b", "\xc3\xa9"};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "mysql://me@h/app/orders?table=%s", wrong[i]);
        url_assert_refused(fz_mysql_url_kind, text, FRAZIL_ESPEC, "must be 1 to 64 letters");
    }
}

TEST("The settings of TLS")
{
    struct fz_mysql_url url =
        parse("mysql://me@h/app/orders?ssl-mode=VERIFY_IDENTITY&ssl-ca=/a%20b&ssl-cert=/c&ssl-key=/k");

    assert_int_equal(url.tls, FZ_MYSQL_TLS_VERIFY_IDENTITY);
    assert_string_equal(url.ca, "/a b");
    assert_string_equal(url.cert, "/c");
    assert_string_equal(url.key, "/k");
    assert_int_equal(parse("mysql://me@h/app/orders?ssl-mode=DISABLED").tls, FZ_MYSQL_TLS_DISABLED);
    url_assert_refused(fz_mysql_url_kind, "mysql://me@h/app/orders?ssl-mode=REQUIRED", FRAZIL_ESPEC,
                       "must be DISABLED or VERIFY_IDENTITY");
    url_assert_refused(fz_mysql_url_kind, "mysql://me@h/app/orders?ssl-mode=DISABLED&ssl-ca=/c", FRAZIL_ESPEC,
                       "has ssl-mode=DISABLED, and TLS files");
    url_assert_refused(fz_mysql_url_kind, "mysql://me@/app/orders?socket=/s&ssl-mode=VERIFY_IDENTITY", FRAZIL_ESPEC,
                       "has a socket, which has no TLS");
    url_assert_refused(fz_mysql_url_kind, "mysql://me@/app/orders?socket=/s&ssl-ca=/c", FRAZIL_ESPEC,
                       "has a socket, which has no TLS");
    assert_true(parse("mysql://me@/app/orders?socket=/s&ssl-mode=DISABLED").common.is_path);
    url_assert_refused(fz_mysql_url_kind, "mysql://me@h/app/orders?ssl-cert=/c", FRAZIL_ESPEC,
                       "one of ssl-cert and ssl-key");
    url_assert_refused(fz_mysql_url_kind, "mysql://me@h/app/orders?ssl-key=/k", FRAZIL_ESPEC,
                       "one of ssl-cert and ssl-key");
}

TEST("It is shown without user, password and keys")
{
    struct fz_mysql_url url = parse("mariadb://me:s3cret@h:33,i/app/orders?timeout=2s");
    char shown[FZ_MYSQL_SHOWN_SIZE];

    fz_mysql_url_show(&url, shown);
    assert_string_equal(shown, "mysql://h:33,i:3306/app/orders");
    url_assert_refused(fz_mysql_url_kind, "redis://h/orders", FRAZIL_ESPEC, "this is no MySQL URL");
    url_assert_refused(fz_mysql_url_kind, "mysql://me@h/app", FRAZIL_ESPEC, "names no namespace");
    url_assert_refused(fz_mysql_url_kind, "mysql://me@h//orders", FRAZIL_ESPEC, "names no database");
}
