/* SPDX-License-Identifier: MIT */
/* Goal of this test: a head of HTTP is read in one way alone, and what two programs could read in two ways is refused.
 */
#include "http_head.h"
#include "lib/test.h"

#define LINE "GET /livez HTTP/1.1\r\n"
#define HOST "Host: localhost\r\n"

static struct http_head head;
static struct http_fault fault;

static enum http_result read_bytes(const char *text, size_t len)
{
    return http_read((struct slice){text, len}, &head, &fault);
}

static void expect_whole(const char *text)
{
    assert_int_equal(read_bytes(text, strlen(text)), HTTP_WHOLE);
    assert_int_equal(head.bytes, strlen(text));
}

/* Fails the test unless each of these heads, which end with an empty slice, is refused with that status. */
static void expect_broken(unsigned status, const struct slice *texts)
{
    for (; texts->at != NULL; texts++) {
        print_message("%s\n", texts->at);
        assert_int_equal(read_bytes(texts->at, texts->len), HTTP_BROKEN);
        assert_int_equal(fault.status, status);
        assert_true(fault.why[0] != '\0');
    }
}

/* They may have zeros in them. */
#define BYTES(text)                                                                                                    \
    (struct slice)                                                                                                     \
    {                                                                                                                  \
        text, sizeof(text) - 1                                                                                         \
    }
#define EXPECT_BROKEN(status, ...) expect_broken(status, (const struct slice[]){__VA_ARGS__, {NULL, 0}})

static void expect_text(struct slice slice, const char *text)
{
    assert_true(slice_equals(slice, slice_of(text)));
}

TEST("A head has a method, a target, and fields by their names in either case")
{
    expect_whole("GET /a?b HTTP/1.1\r\nhOsT:localhost\r\nX-Other: x\r\nACCEPT: \t text/plain \t \r\nOrigin:\r\n\r\n");
    expect_text(head.method, "GET");
    expect_text(head.target, "/a?b");
    assert_false(head.is_old);
    expect_text(http_field(&head, FIELD_HOST), "localhost");
    expect_text(http_field(&head, FIELD_ACCEPT), "text/plain");
    expect_text(http_field(&head, FIELD_ORIGIN), "");
    assert_null(http_field(&head, FIELD_CONNECTION).at);
    expect_whole("POST / HTTP/1.0\r\n\r\n");
    assert_true(head.is_old);
}

TEST("It ends where it ends, whatever follows, and empty lines before it belong to it")
{
    static const char two[] = "\r\n\r\n" LINE HOST "\r\n" LINE;

    assert_int_equal(read_bytes(two, sizeof two - 1), HTTP_WHOLE);
    assert_int_equal(head.bytes, sizeof two - sizeof LINE);
}

TEST("A head that comes in pieces is awaited, from its first byte on")
{
    static const char text[] = LINE HOST "Accept: */*\r\n\r\n";

    for (size_t len = 0; len < sizeof text - 1; len++)
        assert_int_equal(read_bytes(text, len), HTTP_MORE);
    assert_int_equal(read_bytes(text, sizeof text - 1), HTTP_WHOLE);
}

TEST("A name that is almost one that is read is another one")
{
    expect_whole(LINE "Hosts: a\r\nHos: b\r\nX-Host: c\r\nHost-: d\r\nContent_Length: 5\r\nContent-Lengt: 5\r\n"
                      "Transfer-Encodings: chunked\r\nX-Requested-Wit: x\r\nOrigins: x\r\n\r\n");
    assert_int_equal(head.count, 0);
}

TEST("A first line that is not three words with a blank between them is refused")
{
    EXPECT_BROKEN(
        400, BYTES("GET  /livez HTTP/1.1\r\n"), BYTES("GET /livez  HTTP/1.1\r\n"), BYTES("GET /livez HTTP/1.1 \r\n"),
        BYTES(" GET /livez HTTP/1.1\r\n"), BYTES("GET\t/livez HTTP/1.1\r\n"), BYTES("GET /li\tvez HTTP/1.1\r\n"),
        BYTES("GET /li\x80vez HTTP/1.1\r\n"), BYTES("GET /livez\r\n"), BYTES("GET\r\n"), BYTES("GET  HTTP/1.1\r\n"),
        BYTES("G(T /livez HTTP/1.1\r\n"), BYTES("GET /livez http/1.1\r\n"), BYTES("GET /livez HTTP/1.\r\n"),
        BYTES("GET /livez HTTP/1.10\r\n"), BYTES("GET /livez HTTP/x.1\r\n"), BYTES("GET /livez HTTP/1,1\r\n"));
    EXPECT_BROKEN(505, BYTES("GET /livez HTTP/1.2\r\n"), BYTES("GET /livez HTTP/0.9\r\n"), BYTES("PRI * HTTP/2.0\r\n"));
}

TEST("Control characters, also in the end of a line, are refused at once")
{
    EXPECT_BROKEN(400, BYTES("GET /livez HTTP/1.1\n"), BYTES(LINE "Host: localhost\n"),
                  BYTES(LINE "Host: local\rhost\r\n"), BYTES(LINE "X: x\rContent-Length: 5\r\n"),
                  BYTES(LINE "X: x\0\r\n"), BYTES(LINE "X: x\x7f\r\n"), BYTES(LINE "X: \x1b[1m\r\n"),
                  BYTES("G\0T /livez HTTP/1.1\r\n"), BYTES(LINE "\n"), BYTES(LINE "\rX"));
    expect_whole(LINE "X: \t\x80\xff\r\n\r\n");
}

TEST("A field is a name, a colon behind it and a value, on a line of its own")
{
    EXPECT_BROKEN(400, BYTES(LINE "Content-Length : 43\r\n"), BYTES(LINE "Content-Length\t: 43\r\n"),
                  BYTES(LINE " Content-Length: 43\r\n"), BYTES(LINE "X: x\r\n Content-Length: 43\r\n"),
                  BYTES(LINE "X: x\r\n\tfolded\r\n"), BYTES(LINE "X: x\r\n \r\n"), BYTES(LINE ": x\r\n"),
                  BYTES(LINE "X\r\n"), BYTES(LINE "X(: x\r\n"), BYTES(LINE "X\x80: x\r\n"), BYTES(LINE "X x: x\r\n"));
}

TEST("A field that may stand there once and stands there twice is refused, also if both are equal")
{
    EXPECT_BROKEN(400, BYTES(LINE "Host: a\r\nhost: a\r\n"), BYTES(LINE "Content-Length: 0\r\nContent-Length: 0\r\n"),
                  BYTES(LINE "Transfer-Encoding: a\r\nTransfer-Encoding: b\r\n"),
                  BYTES(LINE "Authorization: a\r\nAuthorization: b\r\n"), BYTES(LINE "Origin: a\r\nOrigin: a\r\n"),
                  BYTES(LINE "Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n"));
}

TEST("A list may go on in a later field, and each of its words counts, whole")
{
    expect_whole(LINE "Connection: a,\t b ,close-\r\nAccept: keep\r\nConnection: keep-alive , CLOSE\r\n\r\n");
    assert_true(http_field_has(&head, FIELD_CONNECTION, "a"));
    assert_true(http_field_has(&head, FIELD_CONNECTION, "b"));
    assert_true(http_field_has(&head, FIELD_CONNECTION, "close"));
    assert_true(http_field_has(&head, FIELD_CONNECTION, "Keep-Alive"));
    assert_false(http_field_has(&head, FIELD_CONNECTION, "keep"));
    expect_whole(LINE "Connection: xclose, closes\r\n\r\n");
    assert_false(http_field_has(&head, FIELD_CONNECTION, "close"));
}

/* A head of that many bytes. */
static enum http_result read_long(size_t len, bool ends)
{
    static char text[HTTP_HEAD_MAX + 100];

    memset(text, 'x', sizeof text);
    memcpy(text, LINE "X: ", sizeof LINE "X: " - 1);
    if (ends)
        memcpy(text + len - 4, "\r\n\r\n", 4);
    return read_bytes(text, len);
}

TEST("A head of 8 KiB is read, and of no byte more")
{
    assert_int_equal(read_long(HTTP_HEAD_MAX, true), HTTP_WHOLE);
    assert_int_equal(read_long(HTTP_HEAD_MAX, false), HTTP_MORE);
    assert_int_equal(read_long(HTTP_HEAD_MAX + 1, true), HTTP_BROKEN);
    assert_int_equal(fault.status, 431);
    assert_int_equal(read_long(HTTP_HEAD_MAX + 1, false), HTTP_BROKEN);
    assert_int_equal(fault.status, 431);
}

TEST("A head has at most so many fields that are read, and others without number")
{
#define FOUR "Accept: a\r\nX: x\r\nAccept: b\r\nX: x\r\nAccept: a\r\nX: x\r\nAccept: b\r\nX: x\r\n"
#define SIXTEEN LINE FOUR FOUR FOUR FOUR

    expect_whole(SIXTEEN "X: x\r\n\r\n");
    assert_int_equal(head.count, HTTP_FIELDS_MAX);
    EXPECT_BROKEN(431, BYTES(SIXTEEN "Accept: a\r\n"));
}
