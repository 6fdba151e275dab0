/* SPDX-License-Identifier: MIT */
/* Goal of this test: the reader of commands takes what the protocol allows, at any cut, and refuses the rest at once.
 */
#include "lib/test.h"
#include "resp_read.h"

#define LIMIT ((size_t)65536)

static struct resp_command command;
static size_t need;
static const char *why;

static enum resp_result take(const char *text)
{
    why = "";
    need = 0;
    return resp_read(text, strlen(text), LIMIT, &command, &need, &why);
}

static void expect_args(size_t count, const char *first, const char *last)
{
    assert_int_equal(command.count, count);
    assert_int_equal(command.args[0].len, strlen(first));
    assert_memory_equal(command.args[0].at, first, strlen(first));
    assert_int_equal(command.args[count - 1].len, strlen(last));
    assert_memory_equal(command.args[count - 1].at, last, strlen(last));
}

TEST("An array of bulk strings is a command")
{
    static const char text[] = "*3\r\n$4\r\nNEXT\r\n$6\r\norders\r\n$1\r\n5\r\n*1";

    assert_int_equal(take(text), RESP_COMMAND);
    expect_args(3, "NEXT", "5");
    assert_int_equal(command.bytes, strlen(text) - 2);
}

TEST("A line of words is a command")
{
    assert_int_equal(take("  NEXT\torders 5 \r\nPING\r\n"), RESP_COMMAND);
    expect_args(3, "NEXT", "5");
    assert_int_equal(command.bytes, 18);
}

TEST("A line with a control character is refused at that byte, and so is what follows it: it may be a handshake of TLS")
{
    static const char hello[] = "\x16\x03\x01\0\x7f\r\nNEXT\r\n";

    for (size_t len = 1; len < sizeof hello; len++)
        assert_int_equal(resp_read(hello, len, LIMIT, &command, &need, &why), RESP_BROKEN);
    assert_non_null(strstr(why, "TLS"));
    assert_int_equal(take("NE\x7fXT\n"), RESP_BROKEN);
    assert_int_equal(take("NEXT\x1b[A\r\n"), RESP_BROKEN);
    assert_int_equal(resp_read("NEXT\0\n", 6, LIMIT, &command, &need, &why), RESP_BROKEN);
    assert_int_equal(take("ECHO \xc3\xa9\t\r\n\x16"), RESP_COMMAND);
    expect_args(2, "ECHO", "\xc3\xa9");
}

TEST("An empty line and an empty array are no command, and take their bytes")
{
    assert_int_equal(take("\r\nPING\r\n"), RESP_COMMAND);
    assert_int_equal(command.count, 0);
    assert_int_equal(command.bytes, 2);
    assert_int_equal(take("*0\r\n"), RESP_COMMAND);
    assert_int_equal(command.count, 0);
    assert_int_equal(command.bytes, 4);
}

/* The command cut at each byte: more is needed, never more than there is to come, and then it is whole. */
static void cut_everywhere(const char *text)
{
    size_t len = strlen(text);

    for (size_t at = 0; at < len; at++) {
        need = 0;
        assert_int_equal(resp_read(text, at, LIMIT, &command, &need, &why), RESP_MORE);
        assert_in_range(need, at + 1, len);
    }
    assert_int_equal(resp_read(text, len, LIMIT, &command, &need, &why), RESP_COMMAND);
    assert_int_equal(command.bytes, len);
}

TEST("A command that is cut anywhere needs more bytes, and never more than it has")
{
    cut_everywhere("*3\r\n$4\r\nNEXT\r\n$6\r\norders\r\n$12\r\nabcdefghijkl\r\n");
    cut_everywhere("*1\r\n$0\r\n\r\n");
    cut_everywhere("NEXT orders 5\r\n");
}

TEST("Arguments beyond those that are kept are counted")
{
    char text[2048];
    size_t len = (size_t)snprintf(text, sizeof text, "*100\r\n");

    for (int i = 0; i < 100; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "$1\r\nx\r\n");
    assert_int_equal(take(text), RESP_COMMAND);
    assert_int_equal(command.count, 100);
    assert_int_equal(command.bytes, len);
}

TEST("A length that lies, is huge, negative or no number is refused before its bytes come")
{
    static const char *const texts[] = {
        "*1\r\n$99999\r\n",
        "*1\r\n$99999999999999999999\r\n",
        "*1\r\n$-1\r\n",
        "*1\r\n$18446744073709551617\r\nx\r\n",
        "*18446744073709551617\r\n$1\r\nx\r\n",
        "*-1\r\n",
        "*99999999\r\n",
        "*1\r\n$4x\r\n",
        "*1\r\n:4\r\n",
        "*1\r\n$4\r\nNEXTxx",
        "*x\r\n",
        "*1\r\n$\r\n",
        "*1\r*",
        "*1\r\n$4\n",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(take(texts[i]), RESP_BROKEN);
        assert_true(strlen(why) > 0);
    }
}

TEST("A command that would be longer than the limit is refused, and one of just that length is not")
{
    static const char text[] = "*2\r\n$4\r\nECHO\r\n$3\r\nabc\r\n";

    assert_int_equal(resp_read(text, strlen(text), strlen(text), &command, &need, &why), RESP_COMMAND);
    assert_int_equal(resp_read(text, strlen(text), strlen(text) - 1, &command, &need, &why), RESP_BROKEN);
    assert_int_equal(resp_read(text, 14, strlen(text) - 1, &command, &need, &why), RESP_MORE);
    assert_int_equal(resp_read(text, 18, strlen(text) - 1, &command, &need, &why), RESP_BROKEN);
}

TEST("A line without an end is refused at the limit")
{
    char line[300];

    memset(line, 'x', sizeof line);
    assert_int_equal(resp_read(line, 255, 256, &command, &need, &why), RESP_MORE);
    assert_int_equal(resp_read(line, sizeof line, 256, &command, &need, &why), RESP_BROKEN);
}

TEST("Of a line of many words as many are kept as there is room for, and all are counted")
{
    for (size_t words = RESP_ARGS_KEPT - 1; words <= RESP_ARGS_KEPT + 2; words++) {
        char line[2 * (RESP_ARGS_KEPT + 2)];
        for (size_t i = 0; i < words; i++)
            memcpy(line + 2 * i, i + 1 < words ? "x " : "x\n", 2);
        assert_int_equal(resp_read(line, 2 * words, 256, &command, &need, &why), RESP_COMMAND);
        assert_int_equal(command.count, words);
        for (size_t i = 0; i < words && i < RESP_ARGS_KEPT; i++)
            assert_ptr_equal(command.args[i].at, line + 2 * i);
    }
}
