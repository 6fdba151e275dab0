/* SPDX-License-Identifier: MIT */
#include "url.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "core/decimal.h"
#include "core/duration.h"
#include "core/wipe.h"
#include "lease/lease.h"
#include "os/fail_errno.h"
#include "os/file.h"

_Static_assert(FZ_URL_NAMESPACE_SIZE <= FZ_LEASE_NAME_SIZE, "every namespace's name can be shown");

/* A URL taken apart; the pieces lie in its text. */
struct pieces {
    const struct fz_url_scheme *scheme;
    struct fz_url_piece credentials;
    struct fz_url_piece place; /* hosts, or the path of a socket */
    struct fz_url_piece path;  /* behind the '/' after the place; behind the last one if the scheme is_path */
    struct fz_url_piece query; /* behind the '?' */
};

/* ---- text ----------------------------------------------------------------- */

bool fz_url_is(struct fz_url_piece piece, const char *word)
{
    return piece.len == strlen(word) && (piece.len == 0 || memcmp(piece.at, word, piece.len) == 0);
}

const char *fz_url_find(struct fz_url_piece piece, char c)
{
    return piece.len == 0 ? NULL : memchr(piece.at, c, piece.len);
}

static const char *find_last(struct fz_url_piece piece, char c)
{
    for (size_t i = piece.len; i > 0; i--) {
        if (piece.at[i - 1] == c)
            return piece.at + i - 1;
    }
    return NULL;
}

/* The text before, or after, the character at `where`. */
static struct fz_url_piece before(struct fz_url_piece piece, const char *where)
{
    return (struct fz_url_piece){piece.at, (size_t)(where - piece.at)};
}

static struct fz_url_piece after(struct fz_url_piece piece, const char *where)
{
    return (struct fz_url_piece){where + 1, piece.len - (size_t)(where - piece.at) - 1};
}

struct fz_url_piece fz_url_cut(struct fz_url_piece *rest, char c)
{
    struct fz_url_piece whole = *rest;
    const char *where = fz_url_find(whole, c);

    *rest = where == NULL ? (struct fz_url_piece){NULL, 0} : after(whole, where);
    return where == NULL ? whole : before(whole, where);
}

bool fz_url_copy(struct fz_url_piece piece, char *ret, size_t size)
{
    if (piece.len >= size || fz_url_find(piece, '\0') != NULL)
        return false;
    if (piece.len > 0)
        memcpy(ret, piece.at, piece.len);
    ret[piece.len] = '\0';
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

bool fz_url_decode(struct fz_url_piece piece, char *ret, size_t size)
{
    size_t len = 0;

    for (size_t i = 0; i < piece.len; i++) {
        int c = (unsigned char)piece.at[i];
        if (c == '%') {
            int high = piece.len - i > 2 ? hex_digit(piece.at[i + 1]) : -1;
            int low = piece.len - i > 2 ? hex_digit(piece.at[i + 2]) : -1;
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

/* ---- the parts of a URL ------------------------------------------------------ */

static frazil_err cut_scheme(const struct fz_url_kind *kind, struct fz_url_piece *rest,
                             const struct fz_url_scheme **ret, frazil_error *reterr)
{
    for (size_t i = 0; kind->schemes[i].text != NULL; i++) {
        size_t len = strlen(kind->schemes[i].text);
        if (rest->len >= len && memcmp(rest->at, kind->schemes[i].text, len) == 0) {
            *ret = &kind->schemes[i];
            *rest = (struct fz_url_piece){rest->at + len, rest->len - len};
            return FRAZIL_OK;
        }
    }
    return fz_fail(reterr, FRAZIL_ESPEC, "this is no %s URL: write %s", kind->what, kind->form);
}

/* Text that may be secret is recognised before anything is quoted. */
static frazil_err split(const struct fz_url_kind *kind, const char *text, struct pieces *ret, frazil_error *reterr)
{
    struct pieces pieces = {.scheme = NULL};
    struct fz_url_piece rest = {text, strlen(text)};

    frazil_err err = cut_scheme(kind, &rest, &pieces.scheme, reterr);
    if (err != FRAZIL_OK)
        return err;
    struct fz_url_piece before_query = fz_url_cut(&rest, '?');
    pieces.query = rest;
    if (fz_url_find(pieces.query, '@') != NULL) /* the '?' may be one of a password: nothing may be quoted */
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "there is an '@' after the '?' of the %s URL: write %%3F for a '?' in a password, and %%40 for "
                       "an '@' elsewhere",
                       kind->what);
    bool is_path = pieces.scheme->is_path;
    /* All that stands before the last '@' is secret. */
    const char *at = is_path ? NULL : find_last(before_query, '@');
    if (at != NULL)
        pieces.credentials = before(before_query, at);
    rest = at == NULL ? before_query : after(before_query, at);
    const char *slash = is_path ? find_last(rest, '/') : fz_url_find(rest, '/');
    pieces.place = slash == NULL ? rest : before(rest, slash);
    if (slash != NULL)
        pieces.path = after(rest, slash);
    *ret = pieces;
    return FRAZIL_OK;
}

/* USER:PASSWORD; leaves *ret as it is if there are none. */
static frazil_err read_credentials(const struct fz_url_kind *kind, struct fz_url_piece piece, struct fz_url_access *ret,
                                   frazil_error *reterr)
{
    const char *colon = fz_url_find(piece, ':');

    if (piece.at == NULL)
        return FRAZIL_OK;
    if (colon == NULL && !kind->user_alone)
        return fz_fail(
            reterr, FRAZIL_ESPEC,
            "before the '@' of the %s URL there is no ':': write [USER]:PASSWORD@, so that it is clear which is given; "
            "a user whose password is in a file is ?user=NAME",
            kind->what);
    struct fz_url_piece user = colon == NULL ? piece : before(piece, colon);
    struct fz_url_piece password = colon == NULL ? (struct fz_url_piece){"", 0} : after(piece, colon);
    if (!fz_url_decode(user, ret->user, sizeof ret->user) ||
        !fz_url_decode(password, ret->password, sizeof ret->password))
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "user or password in the %s URL is too long, or not correctly percent-encoded", kind->what);
    if (colon != NULL && ret->password[0] == '\0')
        return fz_fail(
            reterr, FRAZIL_ESPEC,
            "the password in the %s URL is empty: leave out what is before the '@'; a user whose password is in a "
            "file is ?user=NAME",
            kind->what);
    if (colon == NULL && ret->user[0] == '\0')
        return fz_fail(reterr, FRAZIL_ESPEC, "the user in the %s URL is empty: leave out the '@'", kind->what);
    return FRAZIL_OK;
}

/* Whether a port can be quoted: where the '@' was forgotten, a password stands in its place. */
static bool is_quotable_port(struct fz_url_piece piece)
{
    for (size_t i = 0; i < piece.len; i++) {
        if (piece.at[i] < '0' || piece.at[i] > '9')
            return false;
    }
    return piece.len <= FZ_DECIMAL_MAX_LEN / 2;
}

static frazil_err read_port(const struct fz_url_kind *kind, struct fz_url_piece piece, uint16_t *ret,
                            frazil_error *reterr)
{
    uint64_t port;

    if (!fz_decimal_parse(piece.at, piece.len, &port) || port < 1 || port > UINT16_MAX) {
        if (is_quotable_port(piece))
            return fz_fail(reterr, FRAZIL_ESPEC, "port %Q in the %s URL: must be a number from 1 to 65535", piece.at,
                           piece.len, kind->what);
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "the port in the %s URL must be a number from 1 to 65535; if it was meant as a password, write "
                       "[USER]:PASSWORD@ before the host",
                       kind->what);
    }
    *ret = (uint16_t)port;
    return FRAZIL_OK;
}

/* A name or an address, without brackets.  Any other text would make the URL that we show ambiguous. */
static bool is_host(struct fz_url_piece name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.at[i];
        if (c <= ' ' || c == 0x7f || c == '[' || c == ']')
            return false;
    }
    return name.len > 0;
}

static frazil_err read_host(const struct fz_url_kind *kind, struct fz_url_piece piece, struct fz_url_host *ret,
                            frazil_error *reterr)
{
    const char *close = piece.len > 0 && piece.at[0] == '[' ? fz_url_find(piece, ']') : NULL;
    const char *colon = close != NULL ? fz_url_find(after(piece, close), ':') : find_last(piece, ':');
    struct fz_url_piece name = colon != NULL ? before(piece, colon) : piece;
    struct fz_url_host host = {.port = kind->default_port};

    if (close != NULL && (size_t)(close - piece.at) + 1 == name.len)
        name = (struct fz_url_piece){piece.at + 1, (size_t)(close - piece.at) - 1};
    else if (fz_url_find(name, ':') != NULL)
        name.len = 0;
    if (!is_host(name) || !fz_url_copy(name, host.name, sizeof host.name)) {
        const char *end = fz_url_find(piece, ':'); /* up to it, for the same reason */
        return fz_fail(reterr, FRAZIL_ESPEC, "%Q in the %s URL is not a host: write HOST[:PORT], or [ADDRESS][:PORT]",
                       piece.at, end == NULL ? piece.len : (size_t)(end - piece.at), kind->what);
    }
    frazil_err err = colon == NULL ? FRAZIL_OK : read_port(kind, after(piece, colon), &host.port, reterr);
    if (err == FRAZIL_OK)
        *ret = host;
    return err;
}

frazil_err fz_url_read_hosts(const struct fz_url_kind *kind, struct fz_url_piece piece, struct fz_url *url,
                             frazil_error *reterr)
{
    frazil_err err = FRAZIL_OK;

    do {
        if (url->host_count == kind->hosts_max)
            return fz_fail(reterr, FRAZIL_ESPEC, "the %s URL names more than %u host%s", kind->what,
                           (uint64_t)kind->hosts_max, kind->hosts_max == 1 ? "" : "s");
        err = read_host(kind, fz_url_cut(&piece, ','), &url->hosts[url->host_count++], reterr);
    } while (err == FRAZIL_OK && piece.at != NULL);
    return err;
}

static bool is_name_character(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
           c == '-' || c == ':';
}

frazil_err fz_url_read_name(const struct fz_url_kind *kind, struct fz_url_piece piece, char ret[FZ_URL_NAMESPACE_SIZE],
                            frazil_error *reterr)
{
    bool good = piece.len > 0;

    for (size_t i = 0; i < piece.len; i++)
        good = good && is_name_character(piece.at[i]);
    if (good && fz_url_copy(piece, ret, FZ_URL_NAMESPACE_SIZE))
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESPEC,
                   "the %s URL names no namespace, or an invalid one, %Q: 1 to %u letters, digits, '.', '_', '-' and "
                   "':' after the last '/', as in %s",
                   kind->what, piece.at == NULL ? "" : piece.at, piece.len, (uint64_t)FZ_URL_NAMESPACE_SIZE - 1,
                   kind->form);
}

/* ---- keys -------------------------------------------------------------------- */
/* Their values are not shown when they are wrong: one may be a password that stands in the wrong place. */

const struct fz_url_key fz_url_common_keys[] = {
    {"timeout", FZ_URL_DURATION, "1s", "10ms", "60s", offsetof(struct fz_url, access.timeout_ms), NULL},
    {"password_file", FZ_URL_PASSWORD_FILE, NULL, NULL, NULL, 0, NULL},
    {"user", FZ_URL_USER, NULL, NULL, NULL, 0, NULL},
    {.name = NULL}};

/* A key of a URL, and its value. */
struct pair {
    const struct fz_url_kind *kind;
    const struct fz_url_key *key;
    struct fz_url_piece value;
};

/* The number, or the nanoseconds, that a text says. */
static bool read_quantity(enum fz_url_type type, struct fz_url_piece text, uint64_t *ret)
{
    return type == FZ_URL_NUMBER ? fz_decimal_parse(text.at, text.len, ret)
                                 : fz_duration_parse(text.at, text.len, ret, NULL) == FRAZIL_OK;
}

static uint64_t bound(enum fz_url_type type, const char *text)
{
    uint64_t quantity = 0;
    bool good = read_quantity(type, (struct fz_url_piece){text, strlen(text)}, &quantity);

    assert(good);
    (void)good;
    return quantity;
}

static frazil_err read_number(const struct pair *pair, uint32_t *ret, frazil_error *reterr)
{
    const struct fz_url_key *key = pair->key;
    uint64_t quantity;

    if (!read_quantity(key->type, pair->value, &quantity) || quantity < bound(key->type, key->least) ||
        quantity > bound(key->type, key->most))
        return fz_fail(reterr, FRAZIL_ESPEC, "%q in the %s URL must be %sfrom %s to %s", key->name, pair->kind->what,
                       key->type == FZ_URL_NUMBER ? "a number " : "", key->least, key->most);
    *ret = (uint32_t)(key->type == FZ_URL_NUMBER ? quantity : quantity / FZ_NS_PER_MS);
    return FRAZIL_OK;
}

static frazil_err read_file(const struct pair *pair, char ret[FZ_URL_PATH_SIZE], frazil_error *reterr)
{
    if (fz_url_decode(pair->value, ret, FZ_URL_PATH_SIZE) && ret[0] != '\0')
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESPEC, "%q in the %s URL names no file", pair->key->name, pair->kind->what);
}

static frazil_err read_password_file(const struct pair *pair, struct fz_url_access *access, frazil_error *reterr)
{
    char path[FZ_URL_PATH_SIZE];
    size_t len;

    if (access->password[0] != '\0')
        return fz_fail(reterr, FRAZIL_ESPEC, "the %s URL has both a password and a password_file: give one of them",
                       pair->kind->what);
    frazil_err err = read_file(pair, path, reterr);
    if (err != FRAZIL_OK)
        return err;
    /* It may be the password itself, which must not be quoted as a path. */
    if (path[0] != '/')
        return fz_fail(reterr, FRAZIL_ESPEC, "password_file in the %s URL must be an absolute path", pair->kind->what);
    int sys = fz_file_read_secret(path, access->password, sizeof access->password, &len);
    if (sys != 0) {
        fz_wipe(access->password, sizeof access->password);
        return fz_fail_errno(reterr, sys, "the password file of a URL cannot be read:", path, "");
    }
    size_t line = strcspn(access->password, "\r\n");
    fz_wipe(access->password + line, sizeof access->password - line);
    if (line == 0)
        return fz_fail(reterr, FRAZIL_ESPEC, "the first line of password file %q is empty", path);
    return FRAZIL_OK;
}

static frazil_err read_user(const struct pair *pair, struct fz_url_access *access, frazil_error *reterr)
{
    if (access->user[0] != '\0')
        return fz_fail(reterr, FRAZIL_ESPEC, "the %s URL has a user before the '@' and another in user=: leave one out",
                       pair->kind->what);
    if (fz_url_decode(pair->value, access->user, sizeof access->user) && access->user[0] != '\0')
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESPEC, "user= in the %s URL is empty, too long, or not correctly percent-encoded",
                   pair->kind->what);
}

static frazil_err read_value(const struct pair *pair, struct fz_url *url, frazil_error *reterr)
{
    void *place = (char *)url + pair->key->offset;

    switch (pair->key->type) {
    case FZ_URL_NUMBER:
    case FZ_URL_DURATION:
        return read_number(pair, place, reterr);
    case FZ_URL_FILE:
        return read_file(pair, place, reterr);
    case FZ_URL_PASSWORD_FILE:
        return read_password_file(pair, &url->access, reterr);
    case FZ_URL_USER:
        return read_user(pair, &url->access, reterr);
    case FZ_URL_OWN:
        break;
    }
    return pair->key->read(pair->value, url, reterr);
}

/* Of its own keys, then of the common ones, the i-th; NULL: there are no more. */
static const struct fz_url_key *key_at(const struct fz_url_kind *kind, size_t i)
{
    size_t own = 0;

    while (kind->keys[own].name != NULL)
        own++;
    const struct fz_url_key *key = i < own ? &kind->keys[i] : &fz_url_common_keys[i - own];
    return key->name == NULL ? NULL : key;
}

frazil_err fz_url_check_files(const struct fz_url_kind *kind, const struct fz_url *url, const char *shown,
                              frazil_error *reterr)
{
    for (const struct fz_url_key *key = kind->keys; key->name != NULL; key++) {
        const char *path = (const char *)url + key->offset;
        char what[FRAZIL_ERROR_MESSAGE_SIZE];
        struct fz_sentence s = fz_sentence_in(what, sizeof what);
        if (key->type != FZ_URL_FILE || path[0] == '\0')
            continue;
        int sys = fz_file_check(path);
        if (sys != 0) {
            fz_sentence_str(&s, shown);
            fz_sentence_str(&s, ": cannot read the file of ");
            fz_sentence_str(&s, key->name);
            fz_sentence_str(&s, "=:");
            return fz_fail_errno(reterr, sys, what, path, "");
        }
    }
    return FRAZIL_OK;
}

static frazil_err set_initial_values(const struct fz_url_kind *kind, struct fz_url *url)
{
    const struct fz_url_key *key;
    frazil_err err = FRAZIL_OK;

    for (size_t i = 0; err == FRAZIL_OK && (key = key_at(kind, i)) != NULL; i++) {
        if (key->initial != NULL)
            err = read_value(&(struct pair){kind, key, {key->initial, strlen(key->initial)}}, url, NULL);
    }
    return err;
}

static frazil_err unknown_key(const struct fz_url_kind *kind, struct fz_url_piece name, frazil_error *reterr)
{
    char text[160];
    struct fz_sentence names = fz_sentence_in(text, sizeof text);
    const struct fz_url_key *key;

    for (size_t i = 0; (key = key_at(kind, i)) != NULL; i++) {
        fz_sentence_str(&names, i == 0 ? "" : key_at(kind, i + 1) == NULL ? " and " : ", ");
        fz_sentence_str(&names, key->name);
    }
    return fz_fail(reterr, FRAZIL_ESPEC, "%Q is not a key of a %s URL; the keys are %s", name.at, name.len, kind->what,
                   text);
}

/* seen: a bit for each key that this URL has given so far. */
static frazil_err read_pair(const struct fz_url_kind *kind, struct fz_url_piece text, uint32_t *seen,
                            struct fz_url *url, frazil_error *reterr)
{
    struct fz_url_piece value = text;
    struct fz_url_piece name = fz_url_cut(&value, '=');
    const struct fz_url_key *key;
    bool has_value = value.at != NULL;

    if (!has_value)
        value = (struct fz_url_piece){"", 0};
    for (size_t i = 0; (key = key_at(kind, i)) != NULL; i++) {
        assert(i < 32);
        const uint32_t its = UINT32_C(1) << i;
        if (!fz_url_is(name, key->name))
            continue;
        if ((*seen & its) != 0)
            return fz_fail(reterr, FRAZIL_ESPEC, "the %s URL has the key %s twice: leave one out", kind->what,
                           key->name);
        *seen |= its;
        return read_value(&(struct pair){kind, key, value}, url, reterr);
    }
    /* Without a '=' it may be a part of a password. */
    return unknown_key(kind, has_value ? name : (struct fz_url_piece){"...", 3}, reterr);
}

static frazil_err read_query(const struct fz_url_kind *kind, struct fz_url_piece query, struct fz_url *url,
                             frazil_error *reterr)
{
    frazil_err err = FRAZIL_OK;
    uint32_t seen = 0;

    while (err == FRAZIL_OK && query.len > 0)
        err = read_pair(kind, fz_url_cut(&query, '&'), &seen, url, reterr);
    if (err == FRAZIL_OK && url->access.user[0] != '\0' && url->access.password[0] == '\0' && !kind->user_alone)
        return fz_fail(reterr, FRAZIL_ESPEC, "the %s URL has a user without a password", kind->what);
    return err;
}

/* ---- all of it ------------------------------------------------------------------ */

static frazil_err read_pieces(const struct fz_url_kind *kind, const struct pieces *pieces, struct fz_url *url,
                              frazil_error *reterr)
{
    frazil_err err = set_initial_values(kind, url);

    url->tls = pieces->scheme->tls;
    url->is_path = pieces->scheme->is_path;
    if (err == FRAZIL_OK)
        err = read_credentials(kind, pieces->credentials, &url->access, reterr);
    if (err == FRAZIL_OK)
        err = kind->read_place != NULL ? kind->read_place(kind, pieces->place, url, reterr)
                                       : fz_url_read_hosts(kind, pieces->place, url, reterr);
    if (err == FRAZIL_OK)
        err = kind->read_path != NULL ? kind->read_path(kind, pieces->path, url, reterr)
                                      : fz_url_read_name(kind, pieces->path, url->name, reterr);
    if (err == FRAZIL_OK)
        err = read_query(kind, pieces->query, url, reterr);
    if (err == FRAZIL_OK && kind->check != NULL)
        err = kind->check(kind, url, reterr);
    return err;
}

frazil_err fz_url_parse(const struct fz_url_kind *kind, const char *text, struct fz_url *ret, frazil_error *reterr)
{
    struct pieces pieces;

    fz_wipe(ret, kind->size);
    frazil_err err = split(kind, text, &pieces, reterr);
    if (err == FRAZIL_OK)
        err = read_pieces(kind, &pieces, ret, reterr);
    if (err != FRAZIL_OK)
        fz_wipe(ret, kind->size);
    return err;
}

frazil_err fz_url_open(const struct fz_url_kind *kind, const char *text, struct fz_url *ret, frazil_error *reterr)
{
    char shown[64];
    struct fz_sentence s = fz_sentence_in(shown, sizeof shown);

    fz_sentence_str(&s, "the ");
    fz_sentence_str(&s, kind->what);
    fz_sentence_str(&s, " URL");
    frazil_err err = fz_url_parse(kind, text, ret, reterr);
    if (err == FRAZIL_OK)
        err = fz_url_check_files(kind, ret, shown, reterr);
    if (err != FRAZIL_OK)
        fz_wipe(ret, kind->size);
    return err;
}

/* ---- for sentences ------------------------------------------------------------- */

void fz_url_show_host(struct fz_sentence *s, const struct fz_url_host *host)
{
    bool brackets = strchr(host->name, ':') != NULL;

    fz_sentence_str(s, brackets ? "[" : "");
    fz_sentence_str(s, host->name);
    fz_sentence_str(s, brackets ? "]" : "");
    if (host->port == 0)
        return;
    fz_sentence_char(s, ':');
    fz_sentence_u64(s, host->port);
}

void fz_url_show_hosts(struct fz_sentence *s, const struct fz_url *url)
{
    if (url->is_path)
        fz_sentence_str(s, url->hosts[0].name);
    for (size_t i = 0; !url->is_path && i < url->host_count; i++) {
        fz_sentence_str(s, i == 0 ? "" : ",");
        fz_url_show_host(s, &url->hosts[i]);
    }
}
