/* SPDX-License-Identifier: MIT */
#include "postgresql_url.h"

#include <stddef.h>
#include <string.h>

#include "common/sql_place.h"

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

/*
 * NAME or SCHEMA.NAME, each in quotes from now on.  The schema always stands there: by search_path, each role and each
 * session could have a table of its own, and one worker id each.
 */
static frazil_err read_table(struct fz_url_piece value, struct fz_url *common, frazil_error *reterr)
{
    static const struct fz_url_piece by_default = {"public", sizeof "public" - 1};
    struct fz_postgresql_url *url = (struct fz_postgresql_url *)common;
    struct fz_url_piece name = value;
    struct fz_url_piece schema = fz_url_cut(&name, '.');
    struct fz_sentence s = fz_sentence_in(url->table, sizeof url->table);

    if (name.at == NULL) {
        name = schema;
        schema = by_default;
    }
    if (!is_identifier(schema) || !is_identifier(name))
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "table=%Q in the PostgreSQL URL: must be NAME or SCHEMA.NAME, each of 1 to %u letters, digits "
                       "and '_'",
                       value.at, value.len, (uint64_t)FZ_POSTGRESQL_NAME_SIZE - 1);
    quote(&s, schema);
    fz_sentence_char(&s, '.');
    quote(&s, name);
    return FRAZIL_OK;
}

static frazil_err read_sslmode(struct fz_url_piece value, struct fz_url *common, frazil_error *reterr)
{
    struct fz_postgresql_url *url = (struct fz_postgresql_url *)common;
    static const char *const modes[] = {"disable", "allow", "prefer", "require", "verify-ca", "verify-full"};

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (fz_url_is(value, modes[i]) && fz_url_copy(value, url->sslmode, sizeof url->sslmode))
            return FRAZIL_OK;
    }
    return fz_fail(reterr, FRAZIL_ESPEC,
                   "sslmode in the PostgreSQL URL must be disable, allow, prefer, require, verify-ca or verify-full");
}

/* The folder of a socket. */
static frazil_err read_folder(struct fz_url_piece value, struct fz_url *common, frazil_error *reterr)
{
    struct fz_url_host *host = &common->hosts[0];

    if (host->name[0] != '\0')
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "the PostgreSQL URL has a host, and another after the '?': give one of them");
    if (fz_url_decode(value, host->name, sizeof host->name) && host->name[0] == '/')
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESPEC,
                   "host=%Q in the PostgreSQL URL: must be the absolute path of the folder with the server's socket",
                   value.at, value.len);
}

static const struct fz_url_key keys[] = {
    {"host", FZ_URL_OWN, NULL, NULL, NULL, 0, read_folder},
    {"table", FZ_URL_OWN, "frazil_lease", NULL, NULL, 0, read_table},
    {"sslmode", FZ_URL_OWN, NULL, NULL, NULL, 0, read_sslmode},
    {"sslrootcert", FZ_URL_FILE, NULL, NULL, NULL, offsetof(struct fz_postgresql_url, sslrootcert), NULL},
    {"sslcert", FZ_URL_FILE, NULL, NULL, NULL, offsetof(struct fz_postgresql_url, sslcert), NULL},
    {"sslkey", FZ_URL_FILE, NULL, NULL, NULL, offsetof(struct fz_postgresql_url, sslkey), NULL},
    {.name = NULL}};

/* ---- all of it ------------------------------------------------------------- */

static frazil_err read_path(const struct fz_url_kind *kind, struct fz_url_piece path, struct fz_url *common,
                            frazil_error *reterr)
{
    struct fz_postgresql_url *url = (struct fz_postgresql_url *)common;

    return fz_sql_place_read_path(kind, path, common, url->database, sizeof url->database, reterr);
}

static const struct fz_url_scheme schemes[] = {{.text = "postgres://"}, {.text = "postgresql://"}, {.text = NULL}};

static const struct fz_url_kind postgresql = {.what = "PostgreSQL",
                                              .form = "postgres://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE/NAMESPACE",
                                              .schemes = schemes,
                                              .keys = keys,
                                              .size = sizeof(struct fz_postgresql_url),
                                              .hosts_max = 8,
                                              .user_alone = true,
                                              .read_place = fz_sql_place_read_hosts,
                                              .read_path = read_path};
const struct fz_url_kind *const fz_postgresql_url_kind = &postgresql;

void fz_postgresql_url_show(const struct fz_postgresql_url *url, char buf[FZ_POSTGRESQL_SHOWN_SIZE])
{
    fz_sql_place_show(&postgresql, &url->common, url->database, buf, FZ_POSTGRESQL_SHOWN_SIZE);
}
