/* SPDX-License-Identifier: MIT */
#include "zookeeper_url.h"

#include <stdbool.h>
#include <string.h>

#include "core/decimal.h"
#include "core/duration.h"
#include "core/sentence.h"
#include "os/fail_errno.h"
#include "os/file.h"

#define SCHEME "zookeeper://"
#define DEFAULT_PORT 2181
#define DEFAULT_PATH "/frazil"
#define DEFAULT_TIMEOUT_MS 1000
#define TIMEOUT_MS_MIN 10
#define TIMEOUT_MS_MAX 60000
#define FORM "zookeeper://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]...]/NAMESPACE"

/* A part of the text. */
struct part {
    const char *at;
    size_t len;
};

static bool part_is(struct part part, const char *word)
{
    return part.len == strlen(word) && memcmp(part.at, word, part.len) == 0;
}

static const char *find(struct part part, char c)
{
    return part.len == 0 ? NULL : memchr(part.at, c, part.len);
}

static const char *find_last(struct part part, char c)
{
    for (size_t i = part.len; i > 0; i--) {
        if (part.at[i - 1] == c)
            return part.at + i - 1;
    }
    return NULL;
}

/* What lies before and after the character at `where`. */
static struct part before(struct part part, const char *where)
{
    return (struct part){part.at, (size_t)(where - part.at)};
}

static struct part after(struct part part, const char *where)
{
    return (struct part){where + 1, part.len - (size_t)(where - part.at) - 1};
}

static bool copy(struct part part, char *ret, size_t size)
{
    if (part.len >= size || find(part, '\0') != NULL)
        return false;
    memcpy(ret, part.at, part.len);
    ret[part.len] = '\0';
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Undoes percent-encoding; no zero bytes. */
static bool decode(struct part part, char *ret, size_t size)
{
    size_t len = 0;

    for (size_t i = 0; i < part.len; i++) {
        int c = (unsigned char)part.at[i];
        if (c == '%') {
            int high = part.len - i > 2 ? hex_digit(part.at[i + 1]) : -1;
            int low = part.len - i > 2 ? hex_digit(part.at[i + 2]) : -1;
            if (high < 0 || low < 0)
                return false;
            c = high * 16 + low;
            i += 2;
        }
        if (c == 0 || len + 1 >= size)
            return false;
        ret[len++] = (char)c;
    }
    ret[len] = '\0';
    return true;
}

/* ---- the parts ------------------------------------------------------------ */

/* What a node may be called: "." and ".." are not among it. */
static bool is_node_name(struct part part)
{
    bool good = part.len > 0 && !part_is(part, ".") && !part_is(part, "..");

    for (size_t i = 0; good && i < part.len; i++) {
        char c = part.at[i];
        good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
               c == '-' || c == ':';
    }
    return good;
}

static frazil_err read_name(struct part part, struct fz_zookeeper_url *url, frazil_error *reterr)
{
    if (is_node_name(part) && copy(part, url->name, sizeof url->name))
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESPEC,
                   "the URL of the ZooKeeper names no namespace, or %Q, which is none: 1 to %u letters, digits, '.', "
                   "'_', '-' and ':' (and not '.' or '..') behind the last '/', as in " FORM,
                   part.at, part.len, (uint64_t)FZ_ZOOKEEPER_NAMESPACE_SIZE - 1);
}

/* user:password, which must never be quoted. */
static frazil_err read_credentials(struct part part, struct fz_zookeeper_url *url, frazil_error *reterr)
{
    const char *colon = find(part, ':');

    if (colon == NULL)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "before the '@' of the ZooKeeper URL there is no ':': write USER:PASSWORD@, so that nobody "
                       "takes one for the other");
    if (!decode(before(part, colon), url->user, sizeof url->user) ||
        !decode(after(part, colon), url->password, sizeof url->password))
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "user or password in the ZooKeeper URL are too long, or not percent-encoded as they should be");
    return FRAZIL_OK;
}

static frazil_err read_port(struct part part, uint16_t *ret, frazil_error *reterr)
{
    uint64_t port;

    if (!fz_decimal_parse(part.at, part.len, &port) || port < 1 || port > UINT16_MAX)
        return fz_fail(reterr, FRAZIL_ESPEC, "port %Q in the ZooKeeper URL: must be a number from 1 to 65535", part.at,
                       part.len);
    *ret = (uint16_t)port;
    return FRAZIL_OK;
}

/* HOST, HOST:PORT, [ADDRESS] or [ADDRESS]:PORT. */
static frazil_err read_server(struct part part, struct fz_zookeeper_server *ret, frazil_error *reterr)
{
    const char *close = part.len > 0 && part.at[0] == '[' ? find(part, ']') : NULL;
    const char *colon = close != NULL ? find(after(part, close), ':') : find_last(part, ':');
    struct part host = colon != NULL ? before(part, colon) : part;

    ret->port = DEFAULT_PORT;
    if (close != NULL && (size_t)(close - part.at) + 1 == host.len)
        host = (struct part){part.at + 1, (size_t)(close - part.at) - 1};
    else if (find(host, ':') != NULL || find(host, '[') != NULL || find(host, ']') != NULL)
        host.len = 0;
    if (host.len == 0 || !copy(host, ret->host, sizeof ret->host))
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "%Q in the ZooKeeper URL is no host: write HOST[:PORT], or [ADDRESS][:PORT], with commas "
                       "between them",
                       part.at, part.len);
    return colon == NULL ? FRAZIL_OK : read_port(after(part, colon), &ret->port, reterr);
}

static frazil_err read_servers(struct part rest, struct fz_zookeeper_url *url, frazil_error *reterr)
{
    for (;;) {
        const char *comma = find(rest, ',');
        if (url->server_count == FZ_ZOOKEEPER_SERVERS_MAX)
            return fz_fail(reterr, FRAZIL_ESPEC, "the ZooKeeper URL names more than %u servers",
                           (uint64_t)FZ_ZOOKEEPER_SERVERS_MAX);
        frazil_err err =
            read_server(comma == NULL ? rest : before(rest, comma), &url->servers[url->server_count], reterr);
        if (err != FRAZIL_OK)
            return err;
        url->server_count++;
        if (comma == NULL)
            return FRAZIL_OK;
        rest = after(rest, comma);
    }
}

/* ---- the keys behind the '?' ----------------------------------------------- */

static frazil_err read_timeout(struct part value, struct fz_zookeeper_url *url, frazil_error *reterr)
{
    uint64_t ns;

    if (fz_duration_parse(value.at, value.len, &ns, NULL) != FRAZIL_OK || ns < UINT64_C(1000000) * TIMEOUT_MS_MIN ||
        ns > UINT64_C(1000000) * TIMEOUT_MS_MAX)
        return fz_fail(reterr, FRAZIL_ESPEC, "timeout=%Q in the ZooKeeper URL: must be from %ums to %us", value.at,
                       value.len, (uint64_t)TIMEOUT_MS_MIN, (uint64_t)TIMEOUT_MS_MAX / 1000);
    url->timeout_ms = (uint32_t)(ns / 1000000);
    return FRAZIL_OK;
}

/* /NAME or /NAME/NAME and so on. */
static frazil_err read_path(struct part value, struct fz_zookeeper_url *url, frazil_error *reterr)
{
    bool good = decode(value, url->path, sizeof url->path) && url->path[0] == '/';
    struct part rest = {url->path + 1, good ? strlen(url->path) - 1 : 0};

    while (good) {
        const char *slash = find(rest, '/');
        good = is_node_name(slash == NULL ? rest : before(rest, slash));
        if (slash == NULL)
            break;
        rest = after(rest, slash);
    }
    if (good && strcmp(url->path, "/zookeeper") != 0 && strncmp(url->path, "/zookeeper/", 11) != 0)
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESPEC,
                   "path=%Q in the ZooKeeper URL: must be the path of a node, as " DEFAULT_PATH
                   ", whose names consist of letters, digits, '.', '_', '-' and ':', and not /zookeeper, which is "
                   "ZooKeeper's own",
                   value.at, value.len);
}

static frazil_err read_password_file(struct part value, struct fz_zookeeper_url *url, frazil_error *reterr)
{
    char path[1024];
    size_t len;

    if (url->password[0] != '\0')
        return fz_fail(reterr, FRAZIL_ESPEC, "the ZooKeeper URL has a password, and a password_file: give one of them");
    if (!decode(value, path, sizeof path) || path[0] == '\0')
        return fz_fail(reterr, FRAZIL_ESPEC, "password_file in the ZooKeeper URL names no file");
    int sys = fz_file_read(path, url->password, sizeof url->password, &len);
    if (sys != 0) {
        memset(url->password, 0, sizeof url->password);
        return fz_fail_errno(reterr, sys, "the password file of the ZooKeeper URL cannot be read:", path, "");
    }
    size_t line = strcspn(url->password, "\r\n");
    memset(url->password + line, 0, sizeof url->password - line);
    if (line == 0)
        return fz_fail(reterr, FRAZIL_ESPEC, "the first line of password file %q is empty", path);
    return FRAZIL_OK;
}

static frazil_err read_pair(struct part pair, struct fz_zookeeper_url *url, frazil_error *reterr)
{
    const char *equals = find(pair, '=');
    struct part key = equals == NULL ? pair : before(pair, equals);
    struct part value = equals == NULL ? (struct part){"", 0} : after(pair, equals);

    if (part_is(key, "timeout"))
        return read_timeout(value, url, reterr);
    if (part_is(key, "path"))
        return read_path(value, url, reterr);
    if (part_is(key, "password_file"))
        return read_password_file(value, url, reterr);
    if (part_is(key, "user") && url->user[0] == '\0' && decode(value, url->user, sizeof url->user) &&
        url->user[0] != '\0')
        return FRAZIL_OK;
    if (part_is(key, "user"))
        return fz_fail(reterr, FRAZIL_ESPEC, "user in the ZooKeeper URL is empty, too long or given twice");
    return fz_fail(reterr, FRAZIL_ESPEC,
                   "%Q is no key of a ZooKeeper URL: they are timeout, path, password_file and user", key.at, key.len);
}

static frazil_err read_query(struct part rest, struct fz_zookeeper_url *url, frazil_error *reterr)
{
    frazil_err err = FRAZIL_OK;

    while (err == FRAZIL_OK && rest.len > 0) {
        const char *ampersand = find(rest, '&');
        struct part pair = ampersand == NULL ? rest : before(rest, ampersand);
        rest = ampersand == NULL ? (struct part){rest.at, 0} : after(rest, ampersand);
        err = read_pair(pair, url, reterr);
    }
    return err;
}

/* ---- all of it ------------------------------------------------------------- */

static frazil_err read_place(struct part rest, struct fz_zookeeper_url *url, frazil_error *reterr)
{
    /* What is before the last '@' is secret, whatever it consists of: it is taken out before anything is quoted. */
    const char *at = find_last(rest, '@');
    frazil_err err = at == NULL ? FRAZIL_OK : read_credentials(before(rest, at), url, reterr);

    if (err != FRAZIL_OK)
        return err;
    rest = at == NULL ? rest : after(rest, at);
    const char *slash = find(rest, '/');
    struct part name = slash == NULL ? (struct part){rest.at, 0} : after(rest, slash);
    err = read_servers(slash == NULL ? rest : before(rest, slash), url, reterr);
    return err == FRAZIL_OK ? read_name(name, url, reterr) : err;
}

/* ZooKeeper knows users by their name and password together. */
static frazil_err check_user(const struct fz_zookeeper_url *url, frazil_error *reterr)
{
    if ((url->user[0] == '\0') != (url->password[0] == '\0'))
        return fz_fail(reterr, FRAZIL_ESPEC, "the ZooKeeper URL has a user without a password, or the other way round");
    if (strchr(url->user, ':') != NULL)
        return fz_fail(reterr, FRAZIL_ESPEC, "the user in the ZooKeeper URL has a ':', which ZooKeeper does not allow");
    return FRAZIL_OK;
}

frazil_err fz_zookeeper_url_parse(const char *text, struct fz_zookeeper_url *ret, frazil_error *reterr)
{
    struct fz_zookeeper_url url = {.path = DEFAULT_PATH, .timeout_ms = DEFAULT_TIMEOUT_MS};

    if (strncmp(text, SCHEME, strlen(SCHEME)) != 0)
        return fz_fail(reterr, FRAZIL_ESPEC, "this is no URL of a ZooKeeper: write " FORM);
    struct part rest = {text + strlen(SCHEME), strlen(text) - strlen(SCHEME)};
    const char *question = find(rest, '?');
    struct part query = question == NULL ? (struct part){rest.at, 0} : after(rest, question);
    frazil_err err = FRAZIL_OK;
    if (find(query, '@') != NULL) /* the '?' may be one of a password: nothing may be quoted */
        err = fz_fail(reterr, FRAZIL_ESPEC,
                      "there is an '@' behind the '?' of the ZooKeeper URL: write %%3F for a '?' in a password, and "
                      "%%40 for an '@' elsewhere");
    if (err == FRAZIL_OK)
        err = read_place(question == NULL ? rest : before(rest, question), &url, reterr);
    if (err == FRAZIL_OK)
        err = read_query(query, &url, reterr);
    if (err == FRAZIL_OK)
        err = check_user(&url, reterr);
    if (err == FRAZIL_OK)
        *ret = url;
    memset(url.password, 0, sizeof url.password);
    return err;
}

void fz_zookeeper_url_show(const struct fz_zookeeper_url *url, char buf[FZ_ZOOKEEPER_SHOWN_SIZE])
{
    struct fz_sentence s = fz_sentence_in(buf, FZ_ZOOKEEPER_SHOWN_SIZE);

    fz_sentence_str(&s, SCHEME);
    for (size_t i = 0; i < url->server_count; i++) {
        bool brackets = strchr(url->servers[i].host, ':') != NULL;
        fz_sentence_str(&s, i == 0 ? "" : ",");
        fz_sentence_str(&s, brackets ? "[" : "");
        fz_sentence_str(&s, url->servers[i].host);
        fz_sentence_str(&s, brackets ? "]:" : ":");
        fz_sentence_u64(&s, url->servers[i].port);
    }
    fz_sentence_str(&s, url->path);
    fz_sentence_char(&s, '/');
    fz_sentence_str(&s, url->name);
}
