/* SPDX-License-Identifier: MIT */
#include "http_head.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#define HOST_TEXT_SIZE 256

static bool fault(struct http_fault *ret, unsigned status, const char *why)
{
    *ret = (struct http_fault){status, why};
    return false;
}

/* ---- its fields ------------------------------------------------------------------------------ */

struct slice http_field(const struct http_head *head, enum http_name name)
{
    for (size_t i = 0; i < head->count; i++) {
        if (head->fields[i].name == name)
            return head->fields[i].value;
    }
    return (struct slice){NULL, 0};
}

bool http_field_has(const struct http_head *head, enum http_name name, const char *word)
{
    for (size_t i = 0; i < head->count; i++) {
        struct slice list = head->fields[i].value;
        while (head->fields[i].name == name && list.at != NULL) {
            if (slice_equals_any_case(slice_cut(&list, ','), slice_of(word)))
                return true;
        }
    }
    return false;
}

/* ---- the target ---------------------------------------------------------------------------- */

bool http_decode(struct slice text, bool is_query, char *to, struct slice *ret)
{
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (c == '%') {
            int high = i + 2 < text.len ? hex_digit(text.at[i + 1]) : -1,
                low = high < 0 ? -1 : hex_digit(text.at[i + 2]);
            if (low < 0 || high + low == 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        } else if (c == '+' && is_query) {
            c = ' ';
        }
        to[len++] = c;
    }
    *ret = (struct slice){to, len};
    return true;
}

/* Refuses a path that a proxy may decode or resolve to another one: its rules would not be those for this path. */
static bool path_is_plain(struct slice path)
{
    char text[HTTP_HEAD_MAX];
    struct slice rest;

    if (!http_decode(path, false, text, &rest) || memchr(path.at, '\\', path.len) != NULL)
        return false;
    for (size_t i = 0; i + 2 < path.len; i++) {
        if (path.at[i] == '%') {
            int c = hex_digit(path.at[i + 1]) * 16 + hex_digit(path.at[i + 2]);
            if (c < ' ' || c == '/' || c == '\\' || c == 0x7f)
                return false;
        }
    }
    while (rest.at != NULL) {
        struct slice segment = slice_cut(&rest, '/');
        if (slice_equals(segment, slice_of(".")) || slice_equals(segment, slice_of("..")))
            return false;
    }
    return true;
}

static bool skip_scheme(struct slice *target, const char *scheme)
{
    struct slice begin = {target->at, strlen(scheme)};

    if (target->len < begin.len || !slice_equals_any_case(begin, slice_of(scheme)))
        return false;
    *target = (struct slice){target->at + begin.len, target->len - begin.len};
    return true;
}

static bool split(struct slice target, struct http_target *ret)
{
    const char *mark;

    *ret = (struct http_target){.path = {NULL, 0}};
    if (skip_scheme(&target, "http://") || skip_scheme(&target, "https://")) {
        size_t len = 0;
        while (len < target.len && target.at[len] != '/' && target.at[len] != '?')
            len++;
        ret->authority = (struct slice){target.at, len};
        target = (struct slice){target.at + len, target.len - len};
    } else if (target.at[0] != '/') {
        return false;
    }
    mark = target.len > 0 ? memchr(target.at, '?', target.len) : NULL;
    ret->path = target;
    if (mark != NULL) {
        ret->path.len = (size_t)(mark - target.at);
        ret->query = (struct slice){mark + 1, target.len - ret->path.len - 1};
    }
    if (ret->path.len == 0)
        ret->path = slice_of("/");
    return target.len == 0 || memchr(target.at, '#', target.len) == NULL;
}

/* ---- the host ---------------------------------------------------------------------------------- */

static bool is_listed(const char *host, const char *hosts)
{
    struct slice known;

    while (slice_next_word(&hosts, &known)) {
        if (slice_equals_any_case(known, slice_of(host)))
            return true;
    }
    return false;
}

/* Whether a client may call this host so: an address, localhost, or one of `hosts`, whatever the port. */
static bool host_is_known(struct slice host, const char *hosts)
{
    bool has_brackets = slice_skip(&host, "[");
    const char *end = host.len > 0 ? memchr(host.at, has_brackets ? ']' : ':', host.len) : NULL;
    size_t len = end != NULL ? (size_t)(end - host.at) : host.len;
    struct slice port = {host.at + len, host.len - len};
    unsigned char address[sizeof(struct in6_addr)];
    char name[HOST_TEXT_SIZE];
    uint64_t number;

    if (len >= sizeof name || memchr(host.at, '\0', len) != NULL || (has_brackets && !slice_skip(&port, "]")))
        return false;
    if (port.len > 0 && (!slice_skip(&port, ":") || !slice_number(port, UINT16_MAX, &number)))
        return false;
    memcpy(name, host.at, len);
    name[len] = '\0';
    if (has_brackets)
        return inet_pton(AF_INET6, name, address) == 1;
    return inet_pton(AF_INET, name, address) == 1 || strcasecmp(name, "localhost") == 0 || is_listed(name, hosts);
}

/* ---- the site that asks ------------------------------------------------------------------------------ */

/* The host that the request is for.  The target's host takes precedence over the field (RFC 9112, 3.2.2). */
static struct slice host_of(const struct http_head *head, const struct http_target *target)
{
    return target->authority.at != NULL ? target->authority : http_field(head, FIELD_HOST);
}

/* Whether a browser says that one of this host's own pages asks.  HTTP/1.0 may leave the host out: no page is its own.
 */
static bool is_own_origin(struct slice origin, struct slice host)
{
    return (slice_skip(&origin, "http://") || slice_skip(&origin, "https://")) && slice_equals_any_case(origin, host);
}

static bool is_own_site(struct slice site)
{
    return slice_equals(site, slice_of("same-origin")) || slice_equals(site, slice_of("none"));
}

/* A page of another site must not make a browser take ids here. */
static bool is_cross_site(const struct http_head *head, const struct http_target *target)
{
    struct slice site = http_field(head, FIELD_SEC_FETCH_SITE), origin = http_field(head, FIELD_ORIGIN);

    return (site.at != NULL && !is_own_site(site)) ||
           (origin.at != NULL && !is_own_origin(origin, host_of(head, target)));
}

bool http_head_is_own(const struct http_head *head, const struct http_target *target)
{
    return http_field(head, FIELD_REQUESTED_WITH).at != NULL || is_own_site(http_field(head, FIELD_SEC_FETCH_SITE)) ||
           is_own_origin(http_field(head, FIELD_ORIGIN), host_of(head, target));
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* Requests have no body.  A length that is none, or chunks, are how one is smuggled past a proxy inside another one. */
static bool body_is_right(const struct http_head *head, struct http_fault *ret)
{
    struct slice length = http_field(head, FIELD_CONTENT_LENGTH);
    static const char not_a_number[] = "Content-Length must be a number";
    uint64_t bytes = 0;

    for (size_t i = 0; i < length.len; i++) {
        if (length.at[i] < '0' || length.at[i] > '9')
            return fault(ret, 400, not_a_number);
    }
    if (length.at != NULL && length.len == 0)
        return fault(ret, 400, not_a_number);
    if (http_field(head, FIELD_TRANSFER_ENCODING).at != NULL)
        return fault(ret, 400, "requests have no body: put the parameters into the query, as ?n=10");
    if (length.at != NULL && !slice_number(length, UINT16_MAX, &bytes))
        return fault(ret, 413, "the body is too large: requests have none");
    return bytes == 0 || fault(ret, 400, "requests have no body: put the parameters into the query, as ?n=10");
}

bool http_head_is_right(const struct http_head *head, const char *hosts, struct http_target *ret,
                        struct http_fault *ret_fault)
{
    struct slice host = http_field(head, FIELD_HOST);

    if (!body_is_right(head, ret_fault))
        return false;
    if (!split(head->target, ret))
        return fault(ret_fault, 400, "the target of a request must be a path, or http://host/path");
    if (!path_is_plain(ret->path))
        return fault(ret_fault, 400, "the path holds . or .. or an encoded / or control character");
    if (host.at == NULL && !head->is_old)
        return fault(ret_fault, 400, "a request must have one Host");
    host = host_of(head, ret);
    if (host.at != NULL && !host_is_known(host, hosts))
        return fault(ret_fault, 421,
                     "this daemon is not known by that Host: add the name to hosts= of its [listen] section");
    if (is_cross_site(head, ret))
        return fault(ret_fault, 403, "cross-site request: browsers may call only from this host's own pages");
    return true;
}
