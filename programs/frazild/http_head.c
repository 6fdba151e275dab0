/* SPDX-License-Identifier: MIT */
#include "http_head.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#define HOST_TEXT_SIZE 256

/* Counted over all headers. */
struct tally {
    size_t bytes;
    unsigned lengths;   /* Content-Length */
    unsigned encodings; /* Transfer-Encoding */
    unsigned hosts;
};

static enum MHD_Result add_header(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_len,
                                  const char *value, size_t value_len)
{
    const struct slice its = {name, name_len};
    struct tally *tally = cls;

    (void)kind, (void)value;
    tally->bytes += name_len + value_len + 4; /* ": " and the end of the line */
    tally->lengths += slice_equals_any_case(its, slice_of(MHD_HTTP_HEADER_CONTENT_LENGTH));
    tally->encodings += slice_equals_any_case(its, slice_of(MHD_HTTP_HEADER_TRANSFER_ENCODING));
    tally->hosts += slice_equals_any_case(its, slice_of(MHD_HTTP_HEADER_HOST));
    return MHD_YES;
}

static bool is_address(const char *host)
{
    unsigned char address[sizeof(struct in6_addr)];

    return inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1;
}

static bool is_listed(const char *host, const char *hosts)
{
    size_t host_len = strlen(host);

    for (hosts += strspn(hosts, " \t"); *hosts != '\0'; hosts += strspn(hosts, " \t")) {
        size_t len = strcspn(hosts, " \t");
        if (len == host_len && strncasecmp(hosts, host, len) == 0)
            return true;
        hosts += len;
    }
    return false;
}

bool http_host_is_known(struct slice host, const char *hosts)
{
    char text[HOST_TEXT_SIZE];
    const char *name = text;

    if (host.len == 0 || host.len >= sizeof text || memchr(host.at, '\0', host.len) != NULL)
        return false;
    memcpy(text, host.at, host.len);
    text[host.len] = '\0';
    char *bracket = text[0] == '[' ? strchr(text, ']') : NULL;
    char *port = strrchr(bracket != NULL ? bracket : text, ':');
    if (port != NULL)
        *port = '\0';
    if (bracket != NULL) {
        *bracket = '\0';
        name++;
    }
    return is_address(name) || strcasecmp(name, "localhost") == 0 || is_listed(name, hosts);
}

/* A page of another site must not make a browser take ids here. */
static bool is_cross_site(const struct http_request *request, struct slice host)
{
    struct slice site = http_header(request, "Sec-Fetch-Site"), origin = http_header(request, MHD_HTTP_HEADER_ORIGIN);

    if (site.at != NULL && !slice_equals(site, slice_of("same-origin")) && !slice_equals(site, slice_of("none")))
        return true;
    if (origin.at == NULL)
        return false;
    /* HTTP/1.0 may leave out the Host: then no origin is this host's. */
    return !(slice_skip(&origin, "http://") || slice_skip(&origin, "https://")) || !slice_equals_any_case(origin, host);
}

static bool fault(struct http_fault *ret, unsigned status, const char *why)
{
    *ret = (struct http_fault){status, why};
    return false;
}

/* Two lengths, or a length and chunks, are how a request is smuggled past a balancer inside another one. */
static bool body_is_right(const struct http_request *request, const struct tally *tally, struct http_fault *ret)
{
    struct slice length = http_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    size_t zeros = 0;

    while (zeros < length.len && length.at[zeros] == '0')
        zeros++;
    if (tally->lengths > 1 || (tally->lengths == 1 && tally->encodings > 0))
        return fault(ret, MHD_HTTP_BAD_REQUEST, "the request says its length twice");
    if (tally->encodings == 0 && zeros == length.len)
        return true;
    if (length.len - zeros > 5)
        return fault(ret, MHD_HTTP_CONTENT_TOO_LARGE, "the body is too large: requests have none");
    return fault(ret, MHD_HTTP_BAD_REQUEST, "requests have no body: put the parameters into the query, as ?n=10");
}

bool http_head_is_right(const struct http_request *request, const char *url, const char *version,
                        struct http_fault *ret)
{
    enum protocol protocol = request->socket->tls != NULL ? PROTOCOL_HTTPS : PROTOCOL_HTTP;
    const char *hosts = request->lane->lane.setup->settings.listen[protocol].hosts;
    struct slice host = http_header(request, MHD_HTTP_HEADER_HOST);
    struct tally tally = {.bytes = strlen(url)};

    (void)MHD_get_connection_values_n(request->connection, MHD_HEADER_KIND, add_header, &tally);
    if (tally.bytes > HTTP_HEAD_MAX)
        return fault(ret, MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE, "the head has more than 8 KiB");
    if (tally.hosts > 1 || (tally.hosts == 0 && strcmp(version, MHD_HTTP_VERSION_1_0) != 0))
        return fault(ret, MHD_HTTP_BAD_REQUEST, "a request has one Host");
    if (tally.hosts == 1 && !http_host_is_known(host, hosts))
        return fault(ret, MHD_HTTP_MISDIRECTED_REQUEST,
                     "this daemon is not known by that Host: add the name to hosts= of its [listen] section");
    if (is_cross_site(request, host))
        return fault(ret, MHD_HTTP_FORBIDDEN,
                     "a page of another site asks: browsers may call from this host's own pages");
    return body_is_right(request, &tally, ret);
}
