/* SPDX-License-Identifier: MIT */
/* Goal of this test: a head asks for what a proxy sees that it asks for, of a host that is known, and for no other
 * site. */
#include "http_head.h"
#include "http_routes.h"
#include "lib/test.h"

#define HOSTS "ids.example.org ids2"

static struct http_head head;
static struct http_target target;
static struct http_fault fault;
static char text[2048];

/* Fails the test unless the function says `expected` of each of these texts, the last of which is NULL. */
static void expect_each(unsigned expected, unsigned (*function)(const char *), const char *const *texts)
{
    for (; *texts != NULL; texts++) {
        print_message("%s\n", *texts);
        assert_int_equal(function(*texts), expected);
    }
}

#define EXPECT_EACH(expected, function, ...) expect_each(expected, function, (const char *const[]){__VA_ARGS__, NULL})

/* Looks at a request of this target and these fields: its status, 200 for a good one. */
static unsigned look(const char *wish, const char *fields)
{
    (void)snprintf(text, sizeof text, "GET %s HTTP/1.1\r\n%s\r\n", wish, fields);
    assert_int_equal(http_read(slice_of(text), &head, &fault), HTTP_WHOLE);
    return http_head_is_right(&head, HOSTS, &target, &fault) ? 200 : fault.status;
}

static unsigned look_at_host(const char *host)
{
    char field[300];

    (void)snprintf(field, sizeof field, "Host: %s\r\n", host);
    return look("/livez", field);
}

static unsigned look_at_target(const char *wish)
{
    return look(wish, "Host: localhost\r\n");
}

static unsigned look_at(const char *fields)
{
    char all[1024];

    (void)snprintf(all, sizeof all, "Host: localhost\r\n%s\r\n", fields);
    return look("/livez", all);
}

static void expect_text(struct slice slice, const char *expected)
{
    assert_true(slice_equals(slice, slice_of(expected)));
}

TEST("A target is a path with a query, or the same behind http:// and a host, in either case")
{
    assert_int_equal(look_at_target("/a/b?c=d?e"), 200);
    expect_text(target.path, "/a/b");
    expect_text(target.query, "c=d?e");
    assert_null(target.authority.at);
    assert_int_equal(look_at_target("/a"), 200);
    assert_null(target.query.at);
    assert_int_equal(look_at_target("http://127.0.0.1:80/a?b"), 200);
    expect_text(target.authority, "127.0.0.1:80");
    expect_text(target.path, "/a");
    expect_text(target.query, "b");
    assert_int_equal(look_at_target("HTTPS://ids2?b"), 200);
    expect_text(target.path, "/");
    expect_text(target.query, "b");
    assert_int_equal(look_at_target("http://ids2"), 200);
    expect_text(target.path, "/");
    EXPECT_EACH(400, look_at_target, "*", "livez", "ftp://localhost/", "http:/livez", "http:", "/a#b", "localhost:80");
}

TEST("The host of a target counts, and not the one of the field")
{
    assert_int_equal(look("http://evil/livez", "Host: localhost\r\n"), 421);
    assert_int_equal(look("http://user@localhost/livez", "Host: localhost\r\n"), 421);
    assert_int_equal(look("http:///livez", "Host: localhost\r\n"), 421);
    assert_int_equal(look("http://localhost/livez", "Host: evil\r\n"), 200);
    assert_int_equal(look("http://localhost/livez", "Host: evil\r\nOrigin: http://evil\r\n"), 403);
    assert_int_equal(look("http://localhost/livez", ""), 400);
}

TEST("A path that could be resolved or decoded into another one is refused")
{

    EXPECT_EACH(400, look_at_target, "/livez%00", "/a%2fb", "/a%2Fb", "/a%5cb", "/a\\b", "/a%0a", "/a%7f", "/a%1F",
                "/.", "/..", "/a/../b", "/a/./b", "/%2e%2E", "/a/.%2e", "/a%", "/a%2", "/a%zz", "/a%2g", "/a%%41");
    EXPECT_EACH(200, look_at_target, "/", "/...", "/a..b", "/.a", "/a//b", "/a%20b", "/%c3%a9", "/a?b=../%2f%00");
}

static const char *route_of(const char *path, const char *argument)
{
    struct slice rest = {NULL, 0};
    const struct http_route *route = http_routes_find(slice_of(path), &rest);

    if (argument != NULL)
        expect_text(rest, argument);
    return route != NULL ? route->name : "none";
}

TEST("A route is found by the path as it was sent, and by all of it")
{
    assert_string_equal(route_of("/metrics", NULL), "metrics");
    assert_string_equal(route_of("/", NULL), "root");
    assert_string_equal(route_of("/v1/generators/main", "main"), "generator");
    assert_string_equal(route_of("/v1/generators/%6dain/ids", "%6dain"), "ids");
    assert_string_equal(route_of("/v1/layouts/41/10/12", "41/10/12"), "layout");
    assert_string_equal(route_of("/v1/generators/a/b/ids", "a/b/ids"), "generator"); /* a name that no generator has */
    static const char *const none[] = {"/%6detrics", "/metrics/",       "/metric", "/metricss", "/Metrics",
                                       "//metrics",  "/v1/generators/", "/v2",     ""};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_string_equal(route_of(none[i], NULL), "none");
}

TEST("A host is an address, localhost or a name of the list, with a port or without, and nothing more")
{

    EXPECT_EACH(200, look_at_host, "localhost", "LOCALhost:1", "127.0.0.1", "10.0.0.1:65535", "[::1]", "[::1]:80",
                "IDS.example.org:6381", "ids2");
    EXPECT_EACH(421, look_at_host, "", ":80", "[::1]evil", "[::1", "[::1]:", "[::1]:x", "[::1]80", "::1", "[127.0.0.1]",
                "[localhost]", "localhost:", "localhost:x", "localhost:65536", "localhost:-1", "localhost:80:80",
                "localhosts", "localhos", "ids.example.org.evil", "ids", "ids2.", "evil", "127.0.0.1.evil",
                "127.0.0.256", "user@localhost", "ids2 evil");
    assert_int_equal(look("/livez", ""), 400);
}

TEST("A body has no length but 0, in digits, and no chunks")
{
    EXPECT_EACH(200, look_at, "Content-Length: 0", "Content-Length: 000");
    EXPECT_EACH(400, look_at, "Content-Length: 1", "Content-Length: +5", "Content-Length: +0", "Content-Length: -0",
                "Content-Length:", "Content-Length: 0, 0", "Content-Length: 0 0", "Content-Length: 0x0",
                "Content-Length: 65535", "Transfer-Encoding: chunked", "Transfer-Encoding: identity",
                "Transfer-Encoding:", "Content-Length: 0\r\nTransfer-Encoding: chunked");
    assert_int_equal(look_at("Content-Length:"), 400);
    assert_string_equal(fault.why, "Content-Length must be a number");
    EXPECT_EACH(413, look_at, "Content-Length: 65536", "Content-Length: 99999999999999999999999999");
}

TEST("A request that comes from another site, as a browser says, is refused")
{
    EXPECT_EACH(200, look_at, "X: x", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: none", "Origin: http://localhost",
                "Origin: https://LOCALHOST");
    EXPECT_EACH(403, look_at, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
                "Sec-Fetch-Site:", "Sec-Fetch-Site: nones", "Sec-Fetch-Site: non", "Origin: http://localhost:80",
                "Origin: http://localhos", "Origin: null", "Origin:", "Origin: http://", "Origin: localhost",
                "Sec-Fetch-Site: none\r\nOrigin: http://evil",
                "Sec-Fetch-Site: cross-site\r\nOrigin: http://localhost");
}

static bool is_own(const char *fields)
{
    assert_int_equal(look("/", fields), 200);
    return http_head_is_own(&head, &target);
}

TEST("A request is no own one by anything that a form, an image or a fetch of another site can send")
{
    assert_false(is_own("Host: localhost\r\n"));
    assert_false(
        is_own("Host: localhost\r\nAccept: application/json\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n"));
    assert_false(is_own("Host: localhost\r\nUser-Agent: curl\r\nReferer: http://localhost/\r\nCookie: a=b\r\n"));
    assert_false(is_own("Host: localhost\r\nX-Requested-Wit: x\r\nX-Requested-With-: x\r\n"));
    assert_true(is_own("Host: localhost\r\nx-requested-with:\r\n"));
    assert_true(is_own("Host: localhost\r\nX-Requested-With: curl\r\n"));
    assert_true(is_own("Host: localhost\r\nSec-Fetch-Site: same-origin\r\n"));
    assert_true(is_own("Host: localhost\r\nSec-Fetch-Site: none\r\n"));
    assert_true(is_own("Host: localhost:1\r\nOrigin: http://localhost:1\r\n"));
}

static void expect_decoded(const char *from, bool is_query, const char *expected)
{
    char to[100];
    struct slice ret = {NULL, 0};

    assert_int_equal(http_decode(slice_of(from), is_query, to, &ret), expected != NULL);
    if (expected != NULL)
        expect_text(ret, expected);
}

TEST("Two hex digits behind a percent sign are a byte, but for a zero, and a plus is a blank in a query alone")
{
    expect_decoded("a%41%6a%4B%ff", false, "aAjK\xff");
    expect_decoded("a+b%2b", true, "a b+");
    expect_decoded("a+b", false, "a+b");
    expect_decoded("", false, "");
    static const char *const wrong[] = {"%", "%4", "%4g", "%g4", "%00", "a%00b", "%:1", "%@1", "%`1"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect_decoded(wrong[i], true, NULL);
}

static unsigned weigh(const char *accept)
{
    char fields[300];

    (void)snprintf(fields, sizeof fields, "Accept: %s", accept);
    assert_int_equal(look_at(fields), 200);
    return http_accept(&head, "text/plain");
}

TEST("The range that names a type most exactly says how much it is wanted, wherever it stands")
{
    assert_int_equal(weigh("*/*"), 1000);
    assert_int_equal(weigh("*/*, text/*;q=0.5, text/plain;q=0.25"), 250);
    assert_int_equal(weigh("text/plain;q=0.25, text/*;q=0.5, */*"), 250);
    assert_int_equal(weigh("text/*;q=0.5, */*"), 500);
    assert_int_equal(weigh("TEXT/Plain;q=0, */*"), 0);
    assert_int_equal(weigh("image/png, text/html;q=0.1 , text/plain;level=1;Q=0.7"), 700);
    assert_int_equal(weigh("text/plain;q=0.1, text/plain;q=0.9, text/plain;q=0.5"), 900);
    assert_int_equal(weigh("image/png\r\nAccept: text/html;q=0.1, text/plain;q=0.001"), 1);
    assert_int_equal(weigh("image/png\r\nConnection: text/plain"), 0);
    EXPECT_EACH(0, weigh, "", ",", "text", "*", "*/plain", "text/plai", "text/plains", "text/plain;q=0.1234",
                "text/plain;q=1.001", "text/plain;q=2", "text/plain;q=", "text/plain;q=0,5", "text/plain;q=1e99",
                "text/plain;q=nan", "text/plain;q=-1");
}
