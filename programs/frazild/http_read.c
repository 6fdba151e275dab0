/* SPDX-License-Identifier: MIT */
#include "http_read.h"

#include <string.h>

static bool is_control(char c)
{
    return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f;
}

/* RFC 9110, 5.6.2. */
static bool is_token(struct slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i], small = (char)(c | 0x20);
        if (!(small >= 'a' && small <= 'z') && !(c >= '0' && c <= '9') &&
            (c == '\0' || strchr("!#$%&'*+-.^_`|~", c) == NULL))
            return false;
    }
    return text.len > 0;
}

static enum http_result fault(struct http_fault *ret, unsigned status, const char *why)
{
    *ret = (struct http_fault){status, why};
    return HTTP_BROKEN;
}

/* Takes a line, which ends with CR LF and holds no other control character. */
static enum http_result take_line(struct slice *rest, struct slice *ret, struct http_fault *ret_fault)
{
    size_t len = 0;

    while (len < rest->len && !is_control(rest->at[len]))
        len++;
    if (len == rest->len || (rest->at[len] == '\r' && len + 1 == rest->len))
        return HTTP_MORE;
    if (rest->at[len] != '\r' || rest->at[len + 1] != '\n')
        return fault(ret_fault, 400, "a line of the head must end with CR LF, and contain no control character");
    *ret = (struct slice){rest->at, len};
    *rest = (struct slice){rest->at + len + 2, rest->len - len - 2};
    return HTTP_WHOLE;
}

/* Takes what stands before the first blank of a line. */
static struct slice take_word(struct slice *line)
{
    const char *end = line->len > 0 ? memchr(line->at, ' ', line->len) : NULL;
    struct slice word = *line;

    word.len = end != NULL ? (size_t)(end - line->at) : line->len;
    *line = end != NULL ? (struct slice){end + 1, line->len - word.len - 1} : (struct slice){NULL, 0};
    return word;
}

static bool is_visible(struct slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] <= ' ' || text.at[i] > '~')
            return false;
    }
    return text.len > 0;
}

static enum http_result read_first_line(struct slice line, struct http_head *ret, struct http_fault *ret_fault)
{
    ret->method = take_word(&line);
    ret->target = take_word(&line);
    if (!is_token(ret->method) || !is_visible(ret->target) || line.at == NULL)
        return fault(ret_fault, 400,
                     "the first line must be a method, a target and HTTP/1.1, separated by single spaces");
    ret->is_old = slice_equals(line, slice_of("HTTP/1.0"));
    if (ret->is_old || slice_equals(line, slice_of("HTTP/1.1")))
        return HTTP_WHOLE;
    if (slice_skip(&line, "HTTP/") && line.len == 3 && line.at[1] == '.' && line.at[0] >= '0' && line.at[0] <= '9')
        return fault(ret_fault, 505, "this daemon speaks HTTP/1.1 and HTTP/1.0");
    return fault(ret_fault, 400, "the first line must end with HTTP/1.1");
}

static enum http_name name_of(struct slice text)
{
#define HTTP_FIELD(identifier, name, times) {name, sizeof name - 1},
    static const struct slice names[] = {HTTP_FIELDS(HTTP_FIELD)};
#undef HTTP_FIELD
    int name = 0;

    while (name < FIELD_COUNT && !slice_equals_any_case(text, names[name]))
        name++;
    return (enum http_name)name;
}

static size_t times_of(const struct http_head *head, enum http_name name)
{
    size_t times = 0;

    for (size_t i = 0; i < head->count; i++)
        times += head->fields[i].name == name;
    return times;
}

static enum http_result read_field(struct slice line, struct http_head *ret, struct http_fault *ret_fault)
{
#define HTTP_FIELD(identifier, name, times) times,
    static const size_t most[] = {HTTP_FIELDS(HTTP_FIELD)};
#undef HTTP_FIELD
    const char *colon = memchr(line.at, ':', line.len);
    struct slice name = {line.at, colon != NULL ? (size_t)(colon - line.at) : 0};

    /* A blank before the colon, or at the beginning of a line that goes on with the one before, is no token's. */
    if (!is_token(name))
        return fault(ret_fault, 400, "a header field must be a name, a colon and a value, on one line");
    enum http_name known = name_of(name);
    if (known == FIELD_COUNT)
        return HTTP_WHOLE;
    if (ret->count == HTTP_FIELDS_MAX)
        return fault(ret_fault, 431, "there are too many header fields");
    if (times_of(ret, known) == most[known])
        return fault(ret_fault, 400, "a header field is given twice");
    struct slice value = {colon + 1, line.len - name.len - 1};
    while (value.len > 0 && (value.at[0] == ' ' || value.at[0] == '\t'))
        value = (struct slice){value.at + 1, value.len - 1};
    while (value.len > 0 && (value.at[value.len - 1] == ' ' || value.at[value.len - 1] == '\t'))
        value.len--;
    ret->fields[ret->count++] = (struct http_field){known, value};
    return HTTP_WHOLE;
}

static enum http_result read_head(struct slice rest, struct http_head *ret, struct http_fault *ret_fault)
{
    const char *begin = rest.at;
    struct slice line = {NULL, 0};
    enum http_result result;

    *ret = (struct http_head){.count = 0};
    do /* an empty line may be left over from the request before */
        result = take_line(&rest, &line, ret_fault);
    while (result == HTTP_WHOLE && line.len == 0);
    if (result == HTTP_WHOLE)
        result = read_first_line(line, ret, ret_fault);
    while (result == HTTP_WHOLE) {
        result = take_line(&rest, &line, ret_fault);
        if (result == HTTP_WHOLE && line.len == 0)
            break;
        if (result == HTTP_WHOLE)
            result = read_field(line, ret, ret_fault);
    }
    ret->bytes = (size_t)(rest.at - begin);
    return result;
}

enum http_result http_read(struct slice bytes, struct http_head *ret, struct http_fault *ret_fault)
{
    bool is_long = bytes.len > HTTP_HEAD_MAX;
    enum http_result result;

    if (is_long)
        bytes.len = HTTP_HEAD_MAX;
    result = read_head(bytes, ret, ret_fault);
    return result == HTTP_MORE && is_long ? fault(ret_fault, 431, "the head has more than 8 KiB") : result;
}
