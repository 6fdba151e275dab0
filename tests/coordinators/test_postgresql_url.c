/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the peculiarities of PostgreSQL's URLs.  unit/test_url.c tests the rules of all URLs.
 */

#include "coordinators/postgresql/postgresql_url.h"
#include "lib/test.h"
#include "lib/url_rig.h"

URL_PARSE(struct fz_postgresql_url, fz_postgresql_url_kind)

static void assert_shown(const char *text, const char *wanted)
{
    struct fz_postgresql_url url = parse(text);
    char shown[FZ_POSTGRESQL_SHOWN_SIZE];

    fz_postgresql_url_show(&url, shown);
    assert_string_equal(shown, wanted);
}

TEST("Host, database and namespace; what is not said is left to libpq, but for the timeout and the table")
{
    struct fz_postgresql_url url = parse("postgres://db.example.org/app/orders");

    assert_int_equal(url.common.host_count, 1);
    assert_string_equal(url.common.hosts[0].name, "db.example.org");
    assert_int_equal(url.common.hosts[0].port, 0);
    assert_string_equal(url.database, "app");
    assert_string_equal(url.common.name, "orders");
    assert_string_equal(url.table, "\"public\".\"frazil_lease\"");
    assert_int_equal(url.common.access.timeout_ms, 1000);
    assert_string_equal(url.common.access.user, "");
    assert_string_equal(url.common.access.password, "");
    assert_string_equal(url.sslmode, "");
    assert_string_equal(url.sslrootcert, "");
    assert_string_equal(url.sslcert, "");
    assert_string_equal(url.sslkey, "");

    url = parse("postgresql://me@[2001:db8::1]:6543/My%2FDb/a.b_c-d:e?timeout=250ms");
    assert_string_equal(url.common.hosts[0].name, "2001:db8::1");
    assert_int_equal(url.common.hosts[0].port, 6543);
    assert_string_equal(url.common.access.user, "me");
    assert_string_equal(url.database, "My/Db");
    assert_string_equal(url.common.name, "a.b_c-d:e");
    assert_int_equal(url.common.access.timeout_ms, 250);
}

TEST("Several hosts, each with its port; or none, which is libpq's default; or a folder with a socket")
{
    struct fz_postgresql_url url = parse("postgres://a:1,b,c:65535/app/orders");

    assert_int_equal(url.common.host_count, 3);
    assert_string_equal(url.common.hosts[0].name, "a");
    assert_int_equal(url.common.hosts[0].port, 1);
    assert_string_equal(url.common.hosts[1].name, "b");
    assert_int_equal(url.common.hosts[1].port, 0);
    assert_string_equal(url.common.hosts[2].name, "c");
    assert_int_equal(url.common.hosts[2].port, 65535);
    assert_int_equal(parse("postgres://1,2,3,4,5,6,7,8/app/orders").common.host_count, 8);

    url = parse("postgres:///app/orders");
    assert_int_equal(url.common.host_count, 1);
    assert_string_equal(url.common.hosts[0].name, "");
    assert_int_equal(url.common.hosts[0].port, 0);
    url = parse("postgres://me@/app/orders?host=%2Fvar%2Frun/postgresql");
    assert_int_equal(url.common.host_count, 1);
    assert_string_equal(url.common.hosts[0].name, "/var/run/postgresql");

    url_assert_refused(fz_postgresql_url_kind, "postgres://1,2,3,4,5,6,7,8,9/app/orders", FRAZIL_ESPEC,
                       "more than 8 hosts");
    url_assert_refused(fz_postgresql_url_kind, "postgres://a:0/app/orders", FRAZIL_ESPEC, "port '0'");
    url_assert_refused(fz_postgresql_url_kind, "postgres://a/app/orders?host=/run", FRAZIL_ESPEC,
                       "has a host, and another after the '?'");
    url_assert_refused(fz_postgresql_url_kind, "postgres:///app/orders?host=/run&host=/run", FRAZIL_ESPEC,
                       "the PostgreSQL URL has the key host twice");
    url_assert_refused(fz_postgresql_url_kind, "postgres:///app/orders?host=elsewhere", FRAZIL_ESPEC,
                       "host='elsewhere'");
    url_assert_refused(fz_postgresql_url_kind, "postgres:///app/orders?host=", FRAZIL_ESPEC,
                       "must be the absolute path");
}

TEST("User and password; what is behind the '@' must still be DATABASE/NAMESPACE")
{
    struct fz_postgresql_url url = parse("postgres://us%40er:s3cret%3A%2F%3F@h/app/orders");

    assert_string_equal(url.common.access.user, "us@er");
    assert_string_equal(url.common.access.password, "s3cret:/?");
    url_assert_refused(fz_postgresql_url_kind, "postgres://me:s3cret/@h/orders", FRAZIL_ESPEC, "names no namespace");
}

TEST("A table is in the schema of the URL, or in public, and both are quoted; nothing else gets into SQL")
{
    assert_string_equal(parse("postgres://h/app/orders?table=Leases_2").table, "\"public\".\"Leases_2\"");
    assert_string_equal(parse("postgres://h/app/orders?table=ids.lease").table, "\"ids\".\"lease\"");
    assert_string_equal(parse("postgres://h/app/orders?table=Web.Ids").table, "\"Web\".\"Ids\"");
    static const char *const wrong[] = {"",      ".",    "a.",  ".a",  "a.b.c", "a b",
                                        "a%22b", "a\"b", "a;b", "a-b", "a'b",   "\xc3\xa9"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "postgres://h/app/orders?table=%s", wrong[i]);
        url_assert_refused(fz_postgresql_url_kind, text, FRAZIL_ESPEC, "must be NAME or SCHEMA.NAME");
    }
    char text[256];
    snprintf(text, sizeof text, "postgres://h/app/orders?table=%0*d.%0*d", 63, 1, 63, 2);
    assert_int_equal(strlen(parse(text).table), 2 * 65 + 1);
    snprintf(text, sizeof text, "postgres://h/app/orders?table=%0*d", 64, 1);
    url_assert_refused(fz_postgresql_url_kind, text, FRAZIL_ESPEC, "each of 1 to 63 letters");
}

TEST("libpq gets the settings of TLS")
{
    struct fz_postgresql_url url =
        parse("postgres://h/app/orders?sslmode=verify-full&sslrootcert=/a%20b&sslcert=/c&sslkey=/k");

    assert_string_equal(url.sslmode, "verify-full");
    assert_string_equal(url.sslrootcert, "/a b");
    assert_string_equal(url.sslcert, "/c");
    assert_string_equal(url.sslkey, "/k");
    url_assert_refused(fz_postgresql_url_kind, "postgres://h/app/orders?sslmode=on", FRAZIL_ESPEC,
                       "sslmode in the PostgreSQL URL must be disable");
    url_assert_refused(fz_postgresql_url_kind, "postgres://h/app/orders?sslkey=", FRAZIL_ESPEC,
                       "'sslkey' in the PostgreSQL URL names no file");
}

TEST("Everything else that is wrong")
{
    url_assert_refused(fz_postgresql_url_kind, "redis://h/orders", FRAZIL_ESPEC, "this is no PostgreSQL URL");
    url_assert_refused(fz_postgresql_url_kind, "postgres:/h/app/orders", FRAZIL_ESPEC, "this is no PostgreSQL URL");
    url_assert_refused(fz_postgresql_url_kind, "postgres://h", FRAZIL_ESPEC, "names no database");
    url_assert_refused(fz_postgresql_url_kind, "postgres://h/", FRAZIL_ESPEC, "names no database");
    url_assert_refused(fz_postgresql_url_kind, "postgres://h//orders", FRAZIL_ESPEC, "names no database");
    url_assert_refused(fz_postgresql_url_kind, "postgres://h/app", FRAZIL_ESPEC, "names no namespace");
    url_assert_refused(fz_postgresql_url_kind, "postgres://h/app/", FRAZIL_ESPEC, "names no namespace");
    url_assert_refused(fz_postgresql_url_kind, "postgres://h/app/a/b", FRAZIL_ESPEC, "an invalid one, 'a/b'");
    url_assert_refused(
        fz_postgresql_url_kind, "postgres://h/app/orders?wait=1", FRAZIL_ESPEC,
        "'wait' is not a key of a PostgreSQL URL; the keys are host, table, sslmode, sslrootcert, sslcert, sslkey, "
        "timeout, password_file "
        "and user");
}

TEST("It is shown without user, password and keys")
{
    char text[512];

    assert_shown("postgresql://me:s3cret@h:5433/app/orders?timeout=2s", "postgres://h:5433/app/orders");
    assert_shown("postgres://a,[::1]:7/app/orders", "postgres://a,[::1]:7/app/orders");
    assert_shown("postgres:///app/orders?host=/run", "postgres:///run/app/orders");
    snprintf(text, sizeof text, "postgres://%0*d/app/orders", 255, 1);
    struct fz_postgresql_url url = parse(text);
    char shown[FZ_POSTGRESQL_SHOWN_SIZE];
    fz_postgresql_url_show(&url, shown);
    assert_int_equal(strlen(shown), sizeof shown - 1);
}
