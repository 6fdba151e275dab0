/* SPDX-License-Identifier: MIT */
/*
 * The URLs of all coordinators have one grammar (coordinators/common/url.h).  Here they are taken apart by it once
 * more, as the parts that know more about theirs are not loaded yet.  A URL that none of them accepts may have any
 * text.
 */
#include "canonical_url.h"

#include <stddef.h>
#include <string.h>

#include "coordinators.h"
#include "core/decimal.h"
#include "core/duration.h"
#include "core/lower.h"
#include "core/sentence.h"

/* Text from `at` up to `end`. */
struct span {
    const char *at;
    const char *end;
};

struct url_sink {
    fz_url_writer write;
    void *ctx;
};

static const char *find_in(struct span span, char c)
{
    return memchr(span.at, c, (size_t)(span.end - span.at));
}

static const char *find_last_in(struct span span, char c)
{
    const char *found = NULL;

    for (const char *at = span.at; at < span.end; at++)
        found = *at == c ? at : found;
    return found;
}

/* The part before the first c, which is all of it where there is none. */
static struct span before_in(struct span span, char c)
{
    const char *found = find_in(span, c);

    return (struct span){span.at, found == NULL ? span.end : found};
}

/* The part behind one that was cut off its beginning, and behind the character that ended that. */
static struct span behind_in(struct span span, struct span first)
{
    return (struct span){first.end < span.end ? first.end + 1 : span.end, span.end};
}

/* ---- characters ------------------------------------------------------------------ */

static void sink_put(const struct url_sink *place, char c)
{
    place->write(place->ctx, c);
}

static void sink_put_text(const struct url_sink *place, const char *text)
{
    for (; *text != '\0'; text++)
        sink_put(place, *text);
}

static bool is_plain(unsigned char c)
{
    char lower = fz_lower((char)c);

    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || (c != '\0' && strchr("-._~", c) != NULL);
}

static int hex_value(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *digit = memchr(digits, fz_lower(c), sizeof digits - 1);

    return digit == NULL ? -1 : (int)(digit - digits);
}

/* The character that "%41" stands for; -1: no such text is there. */
static int decoded_at(struct span span)
{
    int high = span.end - span.at > 2 && *span.at == '%' ? hex_value(span.at[1]) : -1;
    int low = high >= 0 ? hex_value(span.at[2]) : -1;

    return low < 0 ? -1 : high * 16 + low;
}

static void put_encoded(const struct url_sink *place, unsigned char c)
{
    static const char digits[] = "0123456789ABCDEF";

    sink_put(place, '%');
    sink_put(place, digits[c >> 4]);
    sink_put(place, digits[c & 15]);
}

/* Percent-encodes it in the one way, undoing first what is encoded.  The separator stands for itself. */
static void put_decoded(const struct url_sink *place, struct span span, char separator)
{
    while (span.at < span.end) {
        int decoded = decoded_at(span);
        unsigned char c = (unsigned char)(decoded < 0 ? *span.at : decoded);
        if (is_plain(c) || (decoded < 0 && *span.at == separator))
            sink_put(place, (char)c);
        else
            put_encoded(place, c);
        span.at += decoded < 0 ? 1 : 3;
    }
}

/* Text in which nothing is encoded: the path of a file. */
static void put_raw(const struct url_sink *place, struct span span)
{
    for (; span.at < span.end; span.at++) {
        if (is_plain((unsigned char)*span.at) || *span.at == '/')
            sink_put(place, *span.at);
        else
            put_encoded(place, (unsigned char)*span.at);
    }
}

/* ---- parts of a URL --------------------------------------------------------------- */

/* Of those that mean the same, one. */
static void put_scheme(const struct url_sink *place, struct span scheme)
{
    static const char *const usual[][2] = {{"postgresql", "postgres"}, {"mariadb", "mysql"}};
    size_t len = (size_t)(scheme.end - scheme.at);

    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        if (len == strlen(usual[i][0]) && memcmp(scheme.at, usual[i][0], len) == 0) {
            sink_put_text(place, usual[i][1]);
            return;
        }
    }
    put_raw(place, scheme);
}

/* USER or USER:PASSWORD. */
static void put_credentials(const struct url_sink *place, struct span credentials, bool with_password)
{
    struct span user = before_in(credentials, ':');
    bool shows_password = with_password && user.end < credentials.end;

    put_decoded(place, user, '\0');
    if (shows_password) {
        sink_put(place, ':');
        put_decoded(place, behind_in(credentials, user), '\0');
    }
    if (shows_password || user.at < user.end)
        sink_put(place, '@');
}

/* A name, which may be in capitals, or an address; that of a zone is a name of its own. */
static void put_host(const struct url_sink *place, struct span host, uint16_t port)
{
    const char *close = find_last_in(host, ']');
    struct span behind = {close == NULL ? host.at : close, host.end};
    char digits[8];
    struct fz_sentence s = fz_sentence_in(digits, sizeof digits);

    bool is_name = find_in(host, '%') == NULL;
    for (const char *at = host.at; at < host.end; at++)
        sink_put(place, is_name ? fz_lower(*at) : *at);
    if (port == 0 || host.at == host.end || find_in(behind, ':') != NULL)
        return;
    fz_sentence_u64(&s, port);
    sink_put(place, ':');
    sink_put_text(place, digits);
}

static void put_hosts(const struct url_sink *place, struct span hosts, uint16_t port)
{
    while (hosts.at < hosts.end) {
        struct span host = before_in(hosts, ',');
        put_host(place, host, port);
        if (host.end < hosts.end)
            sink_put(place, ',');
        hosts = behind_in(hosts, host);
    }
}

/* Compares the keys of two KEY=VALUE. */
static int compare_keys(struct span a, struct span b)
{
    struct span one = before_in(a, '=');
    struct span other = before_in(b, '=');
    size_t one_len = (size_t)(one.end - one.at);
    size_t other_len = (size_t)(other.end - other.at);
    int order = memcmp(one.at, other.at, one_len < other_len ? one_len : other_len);

    return order != 0 ? order : (one_len > other_len) - (one_len < other_len);
}

/* The next KEY=VALUE in the order of the keys; of one key that is there twice, which no part accepts, the last.  at
 * NULL: none. */
static struct span pair_behind(struct span query, struct span before)
{
    struct span found = {NULL, NULL};

    while (query.at < query.end) {
        struct span pair = before_in(query, '&');
        bool is_behind = pair.at < pair.end && (before.at == NULL || compare_keys(pair, before) > 0);
        if (is_behind && (found.at == NULL || compare_keys(pair, found) <= 0))
            found = pair;
        query = behind_in(query, pair);
    }
    return found;
}

/* ---- defaults ------------------------------------------------------------------ */

enum default_type { DEFAULT_TEXT, DEFAULT_NUMBER, DEFAULT_DURATION };

/*
 * The keys that have a default, of all coordinators' URLs, which agree on it: a test compares them with the tables of
 * the parts.  C drops the zero of a text that fills its array: a longer key needs a longer one.
 */
static const struct default_row {
    char key[16];
    char value[16];
    enum default_type type;
} default_rows[] = {{"db", "0", DEFAULT_NUMBER},
                    {"path", "/frazil", DEFAULT_TEXT},
                    {"table", "frazil_lease", DEFAULT_TEXT},
                    {"timeout", "1s", DEFAULT_DURATION},
                    {"wait", "0", DEFAULT_NUMBER}};
enum { DEFAULT_ROWS = sizeof default_rows / sizeof default_rows[0] };

static bool is_text(struct span span, const char *text)
{
    return strlen(text) == (size_t)(span.end - span.at) && memcmp(span.at, text, strlen(text)) == 0;
}

static const struct default_row *row_of(struct span key)
{
    for (size_t i = 0; i < DEFAULT_ROWS; i++) {
        if (is_text(key, default_rows[i].key))
            return &default_rows[i];
    }
    return NULL;
}

/* The value that the part decides on: a number, or whole milliseconds. */
static bool read_quantity(struct span value, enum default_type type, uint64_t *ret)
{
    size_t len = (size_t)(value.end - value.at);

    if (type == DEFAULT_NUMBER)
        return fz_decimal_parse(value.at, len, ret);
    if (type != DEFAULT_DURATION || fz_duration_parse(value.at, len, ret, NULL) != FRAZIL_OK)
        return false;
    *ret /= FZ_NS_PER_MS;
    return true;
}

/* Whether the value is that text once it is decoded. */
static bool decodes_to(struct span value, const char *text)
{
    for (; value.at < value.end && *text != '\0'; text++) {
        int decoded = decoded_at(value);
        if ((decoded < 0 ? (unsigned char)*value.at : decoded) != (unsigned char)*text)
            return false;
        value.at += decoded < 0 ? 1 : 3;
    }
    return value.at == value.end && *text == '\0';
}

static bool says_default(const struct default_row *row, struct span value)
{
    const struct span by_default = {row->value, row->value + strlen(row->value)};
    uint64_t said = 0;
    uint64_t unsaid = 0;

    if (row->type == DEFAULT_TEXT)
        return decodes_to(value, row->value);
    return read_quantity(value, row->type, &said) && read_quantity(by_default, row->type, &unsaid) && said == unsaid;
}

/* PostgreSQL's default is part of the name of a table; no other coordinator has tables with such a name. */
static struct span without_schema(struct span name)
{
    static const char by_default[] = "public.";
    size_t len = sizeof by_default - 1;
    bool has = (size_t)(name.end - name.at) >= len && memcmp(name.at, by_default, len) == 0;

    return (struct span){has ? name.at + len : name.at, name.end};
}

static struct span value_of(struct span pair)
{
    struct span key = before_in(pair, '=');
    struct span value = behind_in(pair, key);

    return is_text(key, "table") ? without_schema(value) : value;
}

static void put_pair(const struct url_sink *place, const struct default_row *row, struct span pair)
{
    const struct span key = {pair.at, behind_in(pair, before_in(pair, '=')).at};
    const struct span value = value_of(pair);
    uint64_t quantity = 0;
    char digits[24];
    struct fz_sentence s = fz_sentence_in(digits, sizeof digits);

    if (row == NULL || !read_quantity(value, row->type, &quantity)) {
        put_decoded(place, key, '=');
        put_decoded(place, value, '=');
        return;
    }
    fz_sentence_u64(&s, quantity);
    sink_put_text(place, row->key);
    sink_put(place, '=');
    sink_put_text(place, digits);
}

/* A key that says its default is as one that is not said. */
static void put_query(const struct url_sink *place, struct span query)
{
    char before = '?';

    for (struct span pair = pair_behind(query, (struct span){NULL, NULL}); pair.at != NULL;
         pair = pair_behind(query, pair)) {
        const struct default_row *row = row_of(before_in(pair, '='));
        if (row != NULL && says_default(row, value_of(pair)))
            continue;
        sink_put(place, before);
        put_pair(place, row, pair);
        before = '&';
    }
}

/* ---- all of it ------------------------------------------------------------------ */

static bool ends_with(struct span span, const char *end)
{
    size_t len = strlen(end);

    return (size_t)(span.end - span.at) >= len && memcmp(span.end - len, end, len) == 0;
}

/* A URL in three: what is before the "://", what is behind it, and what is behind the '?'. */
struct split {
    struct span scheme;
    struct span middle;
    struct span query;
    bool is_path; /* the middle is the path of a file, without users and hosts */
};

static struct split split_url(const char *url)
{
    const char *mark = strstr(url, "://");
    struct span rest = {mark + strlen("://"), url + strlen(url)};
    struct split split = {.scheme = {url, mark}};

    bool is_folder = ends_with(split.scheme, "file"); /* whose name may have a '?' */
    split.is_path = is_folder || ends_with(split.scheme, "unix");
    split.middle = is_folder ? rest : before_in(rest, '?');
    split.query = behind_in(rest, split.middle);
    return split;
}

void fz_canonical_url_write(const char *url, bool with_password, fz_url_writer write, void *ctx)
{
    const struct url_sink place = {.write = write, .ctx = ctx};
    const struct split split = split_url(url);

    put_scheme(&place, split.scheme);
    sink_put_text(&place, "://");
    if (split.is_path) {
        put_raw(&place, split.middle);
        put_query(&place, split.query);
        return;
    }
    const char *at = find_last_in(split.middle, '@');
    if (at != NULL)
        put_credentials(&place, (struct span){split.middle.at, at}, with_password);
    struct span behind = {at == NULL ? split.middle.at : at + 1, split.middle.end};
    struct span hosts = before_in(behind, '/');
    put_hosts(&place, hosts, fz_coordinator_port(url));
    put_decoded(&place, (struct span){hosts.end, behind.end}, '/');
    put_query(&place, split.query);
}

bool fz_url_has_encoded_path(const char *url)
{
    struct split split = split_url(url);

    for (; split.is_path && split.middle.at < split.middle.end; split.middle.at++) {
        if (decoded_at(split.middle) >= 0)
            return true;
    }
    return false;
}

/* The user whom the keys behind the '?' name, or else `otherwise`. */
static struct span user_in(struct span query, struct span otherwise)
{
    while (query.at < query.end) {
        struct span pair = before_in(query, '&');
        struct span key = before_in(pair, '=');
        if (is_text(key, "user"))
            otherwise = behind_in(pair, key);
        query = behind_in(query, pair);
    }
    return otherwise;
}

bool fz_url_is_of_password(const char *url)
{
    const struct split split = split_url(url);
    const char *at = split.is_path ? NULL : find_last_in(split.middle, '@');
    struct span credentials = {split.middle.at, at};

    if (at == NULL || find_in(credentials, ':') == NULL || strstr(url, "redis") == NULL ||
        strstr(url, "redis") >= split.scheme.end)
        return false;
    struct span user = user_in(split.query, before_in(credentials, ':'));
    return user.at == user.end || decodes_to(user, "default");
}
