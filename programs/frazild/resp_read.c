/* SPDX-License-Identifier: MIT */
#include "resp_read.h"

#include <string.h>

#define LINE_MAX_BYTES 4096 /* of words that are typed */
#define ARG_LEAST 6         /* bytes of the shortest argument: $0, CR LF, CR LF */

/* Where reading is. */
struct cursor {
    const char *bytes;
    size_t len;
    size_t at;
    size_t limit;
    size_t need;
    const char *why;
};

static enum resp_result more(struct cursor *cursor, size_t need)
{
    if (need > cursor->limit) {
        cursor->why = "the command is longer than this connection may send";
        return RESP_BROKEN;
    }
    cursor->need = need;
    return RESP_MORE;
}

static enum resp_result broken(struct cursor *cursor, const char *why)
{
    cursor->why = why;
    return RESP_BROKEN;
}

/* Reads "<mark>digits CR LF".  Up to ten digits, so that no number overflows; a leading minus is no digit. */
static enum resp_result read_length(struct cursor *cursor, char mark, size_t *ret)
{
    const size_t digits_max = 10;
    size_t at = cursor->at, number = 0, digits = 0;

    if (at == cursor->len)
        return more(cursor, at + 4);
    if (cursor->bytes[at] != mark)
        return broken(cursor, mark == '$' ? "expected '$' and the length of an argument" : "expected '*'");
    for (at++; at < cursor->len && cursor->bytes[at] >= '0' && cursor->bytes[at] <= '9'; at++, digits++) {
        if (digits == digits_max)
            return broken(cursor, "a length has too many digits");
        number = number * 10 + (size_t)(cursor->bytes[at] - '0');
    }
    if (at == cursor->len)
        return more(cursor, at + 2);
    if (digits == 0 || cursor->bytes[at] != '\r')
        return broken(cursor, mark == '$' ? "invalid bulk length" : "invalid multibulk length");
    if (at + 1 == cursor->len)
        return more(cursor, at + 2);
    if (cursor->bytes[at + 1] != '\n')
        return broken(cursor, "expected LF after CR");
    cursor->at = at + 2;
    *ret = number;
    return RESP_COMMAND;
}

/* Reads one argument: its length, its bytes, CR LF. */
static enum resp_result read_argument(struct cursor *cursor, struct slice *ret)
{
    size_t len;
    enum resp_result result = read_length(cursor, '$', &len);

    if (result != RESP_COMMAND)
        return result;
    if (len > cursor->limit)
        return broken(cursor, "invalid bulk length: longer than this connection may send");
    if (cursor->len - cursor->at < len + 2)
        return more(cursor, cursor->at + len + 2);
    if (memcmp(cursor->bytes + cursor->at + len, "\r\n", 2) != 0)
        return broken(cursor, "an argument is longer than announced");
    *ret = (struct slice){cursor->bytes + cursor->at, len};
    cursor->at += len + 2;
    return RESP_COMMAND;
}

static enum resp_result read_array(struct cursor *cursor, struct resp_command *ret)
{
    size_t count;
    struct slice arg;
    enum resp_result result = read_length(cursor, '*', &count);

    if (result != RESP_COMMAND)
        return result;
    if (count > cursor->limit / ARG_LEAST)
        return broken(cursor, "invalid multibulk length: more arguments than this connection may send");
    for (size_t i = 0; i < count; i++) {
        result = read_argument(cursor, &arg);
        if (result != RESP_COMMAND)
            return result;
        if (i < RESP_ARGS_KEPT)
            ret->args[i] = arg;
    }
    ret->count = count;
    return RESP_COMMAND;
}

static int is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/*
 * Whether a line has a byte that nobody types.  A TLS handshake begins with one.  What follows can be chosen by
 * somebody else, so that it reads like a command.
 */
static bool has_control(const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (((unsigned char)line[i] < ' ' && !is_space(line[i])) || line[i] == 0x7f)
            return true;
    }
    return false;
}

/* Reads words up to LF. */
static enum resp_result read_line(struct cursor *cursor, struct resp_command *ret)
{
    const size_t longest = cursor->limit < LINE_MAX_BYTES ? cursor->limit : LINE_MAX_BYTES;
    size_t seen = cursor->len < longest ? cursor->len : longest;
    const char *end = memchr(cursor->bytes, '\n', seen);
    const char *at = cursor->bytes;

    if (has_control(cursor->bytes, end != NULL ? (size_t)(end - cursor->bytes) : seen))
        return broken(cursor, "a control character in a line: is this TLS? [listen resps] has another port");
    if (end == NULL)
        return seen == longest ? broken(cursor, "too big inline request") : more(cursor, seen + 1);
    ret->count = 0;
    while (at < end) {
        while (at < end && is_space(*at))
            at++;
        const char *word = at;
        while (at < end && !is_space(*at))
            at++;
        if (at == word)
            break;
        if (ret->count < RESP_ARGS_KEPT)
            ret->args[ret->count] = (struct slice){word, (size_t)(at - word)};
        ret->count++;
    }
    cursor->at = (size_t)(end - cursor->bytes) + 1;
    return RESP_COMMAND;
}

enum resp_result resp_read(const char *bytes, size_t len, size_t limit, struct resp_command *ret, size_t *ret_need,
                           const char **ret_why)
{
    struct cursor cursor = {.bytes = bytes, .len = len, .limit = limit};
    struct resp_command command; /* its arguments are set as far as it has any */
    enum resp_result result;

    if (len == 0) {
        *ret_need = 1;
        return RESP_MORE;
    }
    result = bytes[0] == '*' ? read_array(&cursor, &command) : read_line(&cursor, &command);
    if (result == RESP_COMMAND && cursor.at > limit)
        result = broken(&cursor, "the command is longer than this connection may send");
    if (result == RESP_COMMAND) {
        size_t kept = command.count < RESP_ARGS_KEPT ? command.count : RESP_ARGS_KEPT;
        ret->bytes = cursor.at;
        ret->count = command.count;
        memcpy(ret->args, command.args, kept * sizeof command.args[0]);
    } else if (result == RESP_MORE) {
        *ret_need = cursor.need;
    } else {
        *ret_why = cursor.why;
    }
    return result;
}
