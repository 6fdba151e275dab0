/* SPDX-License-Identifier: MIT */
#include "postgresql_url.h"

#include <string.h>

#include "core/wipe.h"

static const struct fz_url_scheme schemes[] = {{"postgres://", false}, {"postgresql://", false}, {NULL, false}};

static const struct fz_url_kind postgresql = {
    .what = "PostgreSQL",
    .form = "postgres://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE/NAMESPACE",
    .keys = "timeout, password_file, user, host, table, sslmode, sslrootcert, sslcert and sslkey",
    .schemes = schemes,
    .user_alone = true};

/* DATABASE/NAMESPACE. */
static frazil_err read_path(struct fz_url_piece path, struct fz_postgresql_url *url, frazil_error *reterr)
{
    struct fz_url_piece name = path;
    struct fz_url_piece database = fz_url_cut(&name, '/');

    if (!fz_url_decode(database, url->database, sizeof url->database) || url->database[0] == '\0')
        return fz_fail(reterr, FRAZIL_ESPEC, "the PostgreSQL URL names no database, or %Q, which is none: write %s",
                       database.at == NULL ? "" : database.at, database.len, postgresql.form);
    return fz_url_read_name(&postgresql, name, url->name, reterr);
}

/* ---- the keys behind the '?' ----------------------------------------------- */

static bool is_identifier(struct fz_url_piece piece)
{
    static const char characters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

    for (size_t i = 0; i < piece.len; i++) {
        if (memchr(characters, piece.at[i], sizeof characters - 1) == NULL)
            return false;
    }
    return piece.len > 0 && piece.len < FZ_POSTGRESQL_NAME_SIZE;
}

static void quote(struct fz_sentence *s, struct fz_url_piece piece)
{
    fz_sentence_char(s, '"');
    for (size_t i = 0; i < piece.len; i++)
        fz_sentence_char(s, piece.at[i]);
    fz_sentence_char(s, '"');
}

/* NAME or SCHEMA.NAME, each in quotes from now on. */
static frazil_err read_table(struct fz_url_piece value, struct fz_postgresql_url *url, frazil_error *reterr)
{
    struct fz_url_piece second = value;
    struct fz_url_piece first = fz_url_cut(&second, '.');
    struct fz_sentence s = fz_sentence_in(url->table, sizeof url->table);

    if (!is_identifier(first) || (second.at != NULL && !is_identifier(second)))
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "table=%Q in the PostgreSQL URL: must be NAME or SCHEMA.NAME, each of 1 to %u letters, digits "
                       "and '_'",
                       value.at, value.len, (uint64_t)FZ_POSTGRESQL_NAME_SIZE - 1);
    quote(&s, first);
    if (second.at != NULL) {
        fz_sentence_char(&s, '.');
        quote(&s, second);
    }
    return FRAZIL_OK;
}

static frazil_err read_sslmode(struct fz_url_piece value, struct fz_postgresql_url *url, frazil_error *reterr)
{
    static const char *const modes[] = {"disable", "allow", "prefer", "require", "verify-ca", "verify-full"};

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (fz_url_is(value, modes[i]) && fz_url_copy(value, url->sslmode, sizeof url->sslmode))
            return FRAZIL_OK;
    }
    return fz_fail(reterr, FRAZIL_ESPEC,
                   "sslmode in the PostgreSQL URL must be disable, allow, prefer, require, verify-ca or verify-full");
}

/* The folder of a socket. */
static frazil_err read_folder(struct fz_url_piece value, struct fz_postgresql_url *url, frazil_error *reterr)
{
    struct fz_url_host *host = &url->hosts[0];

    if (host->name[0] != '\0')
        return fz_fail(reterr, FRAZIL_ESPEC, "the PostgreSQL URL has a host, and one behind the '?': give one of them");
    if (fz_url_decode(value, host->name, sizeof host->name) && host->name[0] == '/')
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESPEC,
                   "host=%Q in the PostgreSQL URL: must be the absolute path of the folder with the server's socket",
                   value.at, value.len);
}

static frazil_err read_key(void *ctx, struct fz_url_piece key, struct fz_url_piece value, bool *ret_known,
                           frazil_error *reterr)
{
    struct fz_postgresql_url *url = ctx;

    if (fz_url_is(key, "host"))
        return read_folder(value, url, reterr);
    if (fz_url_is(key, "table"))
        return read_table(value, url, reterr);
    if (fz_url_is(key, "sslmode"))
        return read_sslmode(value, url, reterr);
    if (fz_url_is(key, "sslrootcert"))
        return fz_url_read_path(&postgresql, key, value, url->sslrootcert, reterr);
    if (fz_url_is(key, "sslcert"))
        return fz_url_read_path(&postgresql, key, value, url->sslcert, reterr);
    if (fz_url_is(key, "sslkey"))
        return fz_url_read_path(&postgresql, key, value, url->sslkey, reterr);
    *ret_known = false;
    return FRAZIL_OK;
}

/* ---- all of it ------------------------------------------------------------- */

/* No host at all is libpq's default. */
static frazil_err read_place(struct fz_url_piece place, struct fz_postgresql_url *url, frazil_error *reterr)
{
    url->host_count = 1;
    return place.len == 0
               ? FRAZIL_OK
               : fz_url_read_hosts(&postgresql, place, url->hosts, FZ_POSTGRESQL_HOSTS_MAX, &url->host_count, reterr);
}

frazil_err fz_postgresql_url_parse(const char *text, struct fz_postgresql_url *ret, frazil_error *reterr)
{
    struct fz_postgresql_url url = {.access.timeout_ms = FZ_URL_TIMEOUT_MS_DEFAULT, .table = "\"frazil_lease\""};
    struct fz_url_pieces pieces;

    frazil_err err = fz_url_split(&postgresql, text, &pieces, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = fz_url_read_credentials(&postgresql, pieces.credentials, &url.access, reterr);
    if (err == FRAZIL_OK)
        err = read_place(pieces.place, &url, reterr);
    if (err == FRAZIL_OK)
        err = read_path(pieces.path, &url, reterr);
    if (err == FRAZIL_OK)
        err = fz_url_read_query(&postgresql, pieces.query, &url.access, read_key, &url, reterr);
    if (err == FRAZIL_OK)
        *ret = url;
    fz_wipe(&url, sizeof url);
    return err;
}

void fz_postgresql_url_show(const struct fz_postgresql_url *url, char buf[FZ_POSTGRESQL_SHOWN_SIZE])
{
    struct fz_sentence s = fz_sentence_in(buf, FZ_POSTGRESQL_SHOWN_SIZE);

    fz_sentence_str(&s, "postgres://");
    for (size_t i = 0; i < url->host_count; i++) {
        fz_sentence_str(&s, i == 0 ? "" : ",");
        if (url->hosts[i].port != 0)
            fz_url_show_host(&s, &url->hosts[i]);
        else
            fz_sentence_str(&s, url->hosts[i].name);
    }
    fz_sentence_char(&s, '/');
    fz_sentence_str(&s, url->database);
    fz_sentence_char(&s, '/');
    fz_sentence_str(&s, url->name);
}
