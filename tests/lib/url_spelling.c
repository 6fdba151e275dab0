/* SPDX-License-Identifier: MIT */
#include "lib/url_spelling.h"

#include <sys/stat.h>

#include "lib/callers.h"
#include "lib/scratch.h"
#include "lib/test.h"
#ifdef FRAZIL_HAVE_ETCD
#include "coordinators/etcd/etcd_url.h"
#endif
#ifdef FRAZIL_HAVE_MYSQL
#include "coordinators/mysql/mysql_url.h"
#endif
#ifdef FRAZIL_HAVE_POSTGRESQL
#include "coordinators/postgresql/postgresql_url.h"
#endif
#ifdef FRAZIL_HAVE_REDIS
#include "coordinators/redis/redis_url.h"
#endif
#ifdef FRAZIL_HAVE_ZOOKEEPER
#include "coordinators/zookeeper/zookeeper_url.h"
#endif

/* Of the kinds of this build. */
static const struct fz_url_kind *const *const known_kinds[] = {
#ifdef FRAZIL_HAVE_REDIS
    &fz_redis_url_kind,
#endif
#ifdef FRAZIL_HAVE_ETCD
    &fz_etcd_url_kind,
#endif
#ifdef FRAZIL_HAVE_ZOOKEEPER
    &fz_zookeeper_url_kind,
#endif
#ifdef FRAZIL_HAVE_POSTGRESQL
    &fz_postgresql_url_kind,
#endif
#ifdef FRAZIL_HAVE_MYSQL
    &fz_mysql_url_kind,
#endif
    NULL};

const struct fz_url_kind *url_kind(size_t i)
{
    return known_kinds[i] == NULL ? NULL : *known_kinds[i];
}

/* Values of what the coordinators read by functions of their own; a key that is missing here fails the test. */
static const struct {
    const char *key;
    const char *values[URL_VALUES - 1];
} own_values[] = {
    {"host", {"/run/a", "/run/b c"}},
    {"socket", {"/run/a.sock", "/run/b&c.sock"}},
    {"table", {"ids", "other"}},
    {"sslmode", {"require", "verify-full"}},
    {"ssl-mode", {"DISABLED", "VERIFY_IDENTITY"}},
    {"path", {"/orders", "/orders/eu:1"}},
};

/* Anything that must be percent-encoded somewhere is in one of them. */
static const char *const users[] = {"", "ann", "b/o@b x"};
static const char *const passwords[] = {"", "s3cret", "p%w:/?&d"};
static const char *const hosts[] = {"", "db-1.example", "[fe80::1]"};
static const char *const databases[] = {"", "app", "a/b c"};
static const char *const names[] = {"", "orders", "pay.ments:2"};
static const char *const files[] = {"", "a", "b c"};
static const unsigned ports[] = {0, 1, 65535};

unsigned url_pick(uint64_t *random, unsigned n)
{
    return n == 0 ? 0 : (unsigned)((caller_random(random) >> 32) % n);
}

const struct fz_url_key *url_key(const struct fz_url_kind *kind, size_t i)
{
    size_t own = 0;

    while (kind->keys[own].name != NULL)
        own++;
    const struct fz_url_key *key = i < own ? &kind->keys[i] : &fz_url_common_keys[i - own];
    return key->name == NULL ? NULL : key;
}

/* ---- meanings -------------------------------------------------------------------- */

/* Schemes that mean the same, as those of a kind without TLS and without sockets, count once. */
static unsigned scheme_count(const struct fz_url_kind *kind)
{
    unsigned n = 0;

    while (kind->schemes[n].text != NULL)
        n++;
    return kind->schemes[0].tls == kind->schemes[n - 1].tls && kind->schemes[0].is_path == kind->schemes[n - 1].is_path
               ? 1
               : n;
}

static bool has_database(const struct fz_url_kind *kind)
{
    return strstr(kind->form, "/DATABASE/") != NULL;
}

void url_make(struct url_meaning *ret, const struct fz_url_kind *kind, uint64_t *random)
{
    struct url_meaning url = {.kind = kind};

    url.scheme = url_pick(random, scheme_count(kind));
    url.user = url_pick(random, URL_VALUES);
    url.password = url_pick(random, URL_VALUES);
    url.hosts = kind->hosts_max == 1 ? 1 : 1 + url_pick(random, URL_HOSTS_MAX);
    for (unsigned i = 0; i < url.hosts; i++) {
        url.host[i] = 1 + url_pick(random, URL_VALUES - 1);
        url.port[i] = url_pick(random, URL_VALUES);
    }
    url.database = has_database(kind) ? 1 + url_pick(random, URL_VALUES - 1) : 0;
    url.name = 1 + url_pick(random, URL_VALUES - 1);
    for (size_t i = 0; url_key(kind, i) != NULL; i++) {
        assert_true(i < URL_KEYS_MAX);
        url.key[i] = url_pick(random, 3) == 0 ? url_pick(random, URL_VALUES) : 0;
        /* Each is given once. */
        if (url.key[i] != 0 && url_key(kind, i)->type == FZ_URL_USER)
            url.user = 0;
        if (url.key[i] != 0 && url_key(kind, i)->type == FZ_URL_PASSWORD_FILE)
            url.password = 0;
    }
    *ret = url;
}

/* A socket or a folder of one is named behind the '?' in place of a host. */
static bool has_host(const struct url_meaning *url)
{
    for (size_t i = 0; url_key(url->kind, i) != NULL; i++) {
        const char *name = url_key(url->kind, i)->name;
        if (url->key[i] != 0 && (strcmp(name, "host") == 0 || strcmp(name, "socket") == 0))
            return false;
    }
    return true;
}

/* Another one of least .. URL_VALUES - 1. */
static void change(unsigned *value, unsigned least, uint64_t *random)
{
    unsigned n = URL_VALUES - least;

    *value = least + (*value - least + 1 + url_pick(random, n - 1)) % n;
}

static bool change_part(struct url_meaning *url, unsigned part, uint64_t *random)
{
    bool is_path = url->kind->schemes[url->scheme].is_path;

    switch (part) {
    case URL_SCHEME:
        if (scheme_count(url->kind) == 1)
            return false;
        url->scheme = (url->scheme + 1 + url_pick(random, scheme_count(url->kind) - 1)) % scheme_count(url->kind);
        return true;
    case URL_USER:
        change(&url->user, 0, random);
        return !is_path;
    case URL_PASSWORD:
        change(&url->password, 0, random);
        return !is_path;
    case URL_HOST:
        change(&url->host[0], 1, random);
        return has_host(url);
    case URL_PORT:
        change(&url->port[url->hosts - 1], 0, random);
        return !is_path && has_host(url);
    case URL_DATABASE:
        change(&url->database, 1, random);
        return has_database(url->kind);
    case URL_NAME:
        change(&url->name, 1, random);
        return true;
    default:
        change(&url->key[part - URL_FIRST_KEY], 0, random);
        return true;
    }
}

bool url_change(struct url_meaning *url, unsigned part, uint64_t *random)
{
    struct url_meaning changed = *url;

    if (!change_part(&changed, part, random))
        return false;
    *url = changed;
    return true;
}

bool url_is_of_password(const struct url_meaning *url)
{
    for (size_t i = 0; url_key(url->kind, i) != NULL; i++) {
        if (url->key[i] != 0 && url_key(url->kind, i)->type == FZ_URL_USER)
            return false;
    }
    return url->user == 0 && strstr(url->kind->schemes[0].text, "redis") != NULL;
}

const char *url_part_name(const struct fz_url_kind *kind, unsigned part)
{
    static const char *const parts[] = {"scheme", "user", "password", "host", "port", "database", "namespace"};

    return part < URL_FIRST_KEY ? parts[part] : url_key(kind, part - URL_FIRST_KEY)->name;
}

/* ---- spellings -------------------------------------------------------------------- */

struct spelling {
    char *text;
    size_t len;
    uint64_t *random;
};

static void put(struct spelling *s, const char *text)
{
    size_t len = strlen(text);

    assert_true(s->len + len < URL_TEXT_SIZE);
    memcpy(s->text + s->len, text, len + 1);
    s->len += len;
}

/* Percent-encoded: what must be, and now and then what need not. */
static void put_encoded(struct spelling *s, const char *text)
{
    for (; *text != '\0'; text++) {
        char piece[4] = {*text, '\0'};
        bool must = strchr("%:/?&@ ='", *text) != NULL;
        if (must || url_pick(s->random, 6) == 0)
            snprintf(piece, sizeof piece, url_pick(s->random, 2) == 0 ? "%%%02x" : "%%%02X", (unsigned char)*text);
        put(s, piece);
    }
}

static void put_hosts(struct spelling *s, const struct url_meaning *url)
{
    for (unsigned i = 0; i < url->hosts; i++) {
        char name[64];
        char port[16];
        unsigned number = url->port[i] == 0 ? url->kind->default_port : ports[url->port[i]];
        snprintf(name, sizeof name, "%s%s", i == 0 ? "" : ",", hosts[url->host[i]]);
        for (char *c = name; *c != '\0'; c++)
            *c = *c >= 'a' && *c <= 'z' && url_pick(s->random, 8) == 0 ? (char)(*c - 'a' + 'A') : *c;
        put(s, name);
        snprintf(port, sizeof port, ":%u", number);
        if (url->port[i] != 0 || (number != 0 && url_pick(s->random, 2) == 0))
            put(s, port);
    }
}

/* A value that is not the default. */
static const char *second_least(const struct fz_url_key *key)
{
    return key->initial != NULL && strcmp(key->initial, key->least) == 0 ? "1" : key->least;
}

static void put_value(struct spelling *s, const struct fz_url_key *key, unsigned value, const char *folder)
{
    char path[512];

    switch (key->type) {
    case FZ_URL_NUMBER:
    case FZ_URL_DURATION:
        put(s, value == 1 ? second_least(key) : key->most);
        return;
    case FZ_URL_FILE:
    case FZ_URL_PASSWORD_FILE:
        snprintf(path, sizeof path, "%s/%s", folder, files[value]);
        put_encoded(s, path);
        return;
    case FZ_URL_USER:
        put_encoded(s, users[value]);
        return;
    case FZ_URL_OWN:
        break;
    }
    for (size_t i = 0; i < sizeof own_values / sizeof own_values[0]; i++) {
        const char *text = own_values[i].values[value - 1];
        if (strcmp(own_values[i].key, key->name) != 0)
            continue;
        if (text[0] == '/')
            put_encoded(s, text);
        else
            put(s, text); /* a word */
        return;
    }
    fail_msg("nobody has decided what %s= in a URL means for an identity: give it values", key->name);
}

/* A default may be said as well; a duration in another unit. */
static const char *initial_of(const struct fz_url_key *key, uint64_t *random)
{
    if (key->type == FZ_URL_DURATION && url_pick(random, 2) == 0) {
        assert_string_equal(key->initial, "1s");
        return "1000ms";
    }
    return key->initial;
}

/* PostgreSQL's default schema may be said as well; the value of a table follows. */
static void put_schema(struct spelling *s, const struct fz_url_kind *kind, const struct fz_url_key *key)
{
    if (strcmp(kind->what, "PostgreSQL") == 0 && strcmp(key->name, "table") == 0 && url_pick(s->random, 2) == 0)
        put(s, "public.");
}

/* The keys in any order. */
static void put_query(struct spelling *s, const struct url_meaning *url, const char *folder)
{
    size_t n = 0;

    while (url_key(url->kind, n) != NULL)
        n++;
    size_t first = url_pick(s->random, (unsigned)n);
    bool backwards = url_pick(s->random, 2) == 0;
    const char *before = "?";
    for (size_t i = 0; i < n; i++) {
        size_t at = (first + (backwards ? n - i : i)) % n;
        const struct fz_url_key *key = url_key(url->kind, at);
        if (url->key[at] == 0 && (key->initial == NULL || url_pick(s->random, 3) != 0))
            continue;
        put(s, before);
        before = "&";
        put(s, key->name);
        put(s, "=");
        put_schema(s, url->kind, key);
        if (url->key[at] != 0)
            put_value(s, key, url->key[at], folder);
        else
            put(s, initial_of(key, s->random));
    }
}

static void put_credentials(struct spelling *s, const struct url_meaning *url)
{
    if (url->user == 0 && url->password == 0)
        return;
    if (url->user != 0)
        put_encoded(s, users[url->user]);
    if (url->password != 0) {
        put(s, ":");
        put_encoded(s, passwords[url->password]);
    }
    put(s, "@");
}

void url_say(const struct url_meaning *url, const char *folder, uint64_t *random, char ret[URL_TEXT_SIZE])
{
    struct spelling s = {.text = ret, .random = random};
    const struct fz_url_scheme *scheme = &url->kind->schemes[url->scheme];

    if (scheme_count(url->kind) == 1) {
        unsigned n = 1; /* each kind has one */
        while (url->kind->schemes[n].text != NULL)
            n++;
        scheme = &url->kind->schemes[url_pick(random, n)];
    }
    put(&s, scheme->text);
    if (scheme->is_path) {
        put(&s, "/run/");
        put(&s, users[url->host[0]]); /* nothing is encoded there */
        put(&s, ".sock");
    } else {
        put_credentials(&s, url);
        if (has_host(url))
            put_hosts(&s, url);
    }
    put(&s, "/");
    if (url->database != 0) {
        put_encoded(&s, databases[url->database]);
        put(&s, "/");
    }
    put(&s, names[url->name]);
    put_query(&s, url, folder);
}

void url_write_files(const char *folder)
{
    for (unsigned i = 1; i < URL_VALUES; i++) {
        const char *path = scratch_path(folder, files[i]);
        scratch_write(path, files[i], strlen(files[i]));
        assert_int_equal(chmod(path, 0600), 0);
    }
}
