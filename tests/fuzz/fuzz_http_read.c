/* SPDX-License-Identifier: MIT */
/* Goal of this test: whatever bytes come, the daemon's reader of HTTP finds the same heads at any cut, and stays within
 * them. */
#include <string.h>

#include "fuzz.h"
#include "http_read.h"

enum { CUTS_MAX = 300 };

/* One look of the reader at some bytes, and what it said. */
struct look {
    enum http_result result;
    struct http_head head;
    struct http_fault fault;
};

static struct look look_at(const char *bytes, size_t len)
{
    struct look look = {.fault = {.status = 0}};

    look.result = http_read((struct slice){bytes, len}, &look.head, &look.fault);
    REQUIRE((look.result == HTTP_BROKEN) == (look.fault.status != 0));
    REQUIRE((look.result == HTTP_BROKEN) == (look.fault.why != NULL));
    REQUIRE(look.result != HTTP_MORE || len <= HTTP_HEAD_MAX);
    return look;
}

/* Requires that the part begins behind `*last`, and ends within the head. */
static void check_part(struct slice part, const char **last, const char *end)
{
    REQUIRE(part.at >= *last && part.at <= end && part.len <= (size_t)(end - part.at));
    REQUIRE(memchr(part.at, '\r', part.len) == NULL && memchr(part.at, '\n', part.len) == NULL);
    *last = part.at + part.len;
}

static void check_head(const struct http_head *head, const char *bytes, size_t len)
{
    const char *last = bytes;

    REQUIRE(head->bytes >= 4 && head->bytes <= len && head->bytes <= HTTP_HEAD_MAX);
    REQUIRE(memcmp(bytes + head->bytes - 4, "\r\n\r\n", 4) == 0);
    REQUIRE(head->count <= HTTP_FIELDS_MAX && head->method.len > 0 && head->target.len > 0);
    check_part(head->method, &last, bytes + head->bytes);
    check_part(head->target, &last, bytes + head->bytes);
    for (size_t i = 0; i < head->count; i++) {
        REQUIRE((unsigned)head->fields[i].name < FIELD_COUNT);
        check_part(head->fields[i].value, &last, bytes + head->bytes);
    }
}

static bool is_same(struct slice one, struct slice other)
{
    return one.at == other.at && one.len == other.len;
}

/* Both were read from the same place. */
static void require_same(const struct http_head *one, const struct http_head *other)
{
    REQUIRE(one->bytes == other->bytes && one->is_old == other->is_old && one->count == other->count);
    REQUIRE(is_same(one->method, other->method) && is_same(one->target, other->target));
    for (size_t i = 0; i < one->count; i++) {
        REQUIRE(one->fields[i].name == other->fields[i].name);
        REQUIRE(is_same(one->fields[i].value, other->fields[i].value));
    }
}

/* A part of a head is never whole, and is refused only for what refuses all of it. */
static void check_cuts(const struct look *whole, const char *bytes, size_t len)
{
    size_t end = whole->result == HTTP_WHOLE ? whole->head.bytes : len;

    for (size_t cut = 0; cut < end && cut < CUTS_MAX; cut++) {
        struct look part = look_at(bytes, cut);
        REQUIRE(part.result == HTTP_MORE || (part.result == HTTP_BROKEN && whole->result == HTTP_BROKEN));
        REQUIRE(part.result == HTTP_MORE || part.fault.status == whole->fault.status);
        REQUIRE(part.result == HTTP_MORE || strcmp(part.fault.why, whole->fault.why) == 0);
    }
    if (whole->result == HTTP_WHOLE) {
        struct look alone = look_at(bytes, end);
        REQUIRE(alone.result == HTTP_WHOLE);
        require_same(&alone.head, &whole->head);
    }
}

/* Reads all heads, as a connection does whose requests have no bodies. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    struct look look;

    do {
        look = look_at(bytes, size);
        check_cuts(&look, bytes, size);
        if (look.result == HTTP_WHOLE) {
            check_head(&look.head, bytes, size);
            bytes += look.head.bytes;
            size -= look.head.bytes;
        }
    } while (look.result == HTTP_WHOLE);
    return 0;
}
