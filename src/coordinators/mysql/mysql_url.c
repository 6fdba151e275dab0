/* SPDX-License-Identifier: MIT */
#include "mysql_url.h"

#include <stddef.h>
#include <string.h>

#include "common/sql_place.h"

/* ---- the keys behind the '?' ----------------------------------------------- */

/* Nothing that would have to be quoted gets into SQL. */
static frazil_err read_table(struct fz_url_piece value, struct fz_url *common, frazil_error *reterr)
{
    static const char characters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    struct fz_mysql_url *url = (struct fz_mysql_url *)common;
    bool good = value.len > 0 && fz_url_copy(value, url->table, sizeof url->table);

    if (good && strspn(url->table, characters) == value.len)
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESPEC, "table=%Q in the MySQL URL: must be 1 to %u letters, digits and '_'", value.at,
                   value.len, (uint64_t)FZ_MYSQL_NAME_SIZE - 1);
}

static frazil_err read_ssl_mode(struct fz_url_piece value, struct fz_url *common, frazil_error *reterr)
{
    struct fz_mysql_url *url = (struct fz_mysql_url *)common;
    static const struct {
        const char *name;
        enum fz_mysql_tls tls;
    } modes[] = {{"DISABLED", FZ_MYSQL_TLS_DISABLED}, {"VERIFY_IDENTITY", FZ_MYSQL_TLS_VERIFY_IDENTITY}};

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (fz_url_is(value, modes[i].name)) {
            url->tls = modes[i].tls;
            return FRAZIL_OK;
        }
    }
    return fz_fail(reterr, FRAZIL_ESPEC, "ssl-mode in the MySQL URL must be DISABLED or VERIFY_IDENTITY");
}

static frazil_err read_socket(struct fz_url_piece value, struct fz_url *common, frazil_error *reterr)
{
    struct fz_url_host *host = &common->hosts[0];

    if (host->name[0] != '\0')
        return fz_fail(reterr, FRAZIL_ESPEC, "the MySQL URL has both a host and a socket: give one of them");
    common->is_path = true;
    if (fz_url_decode(value, host->name, sizeof host->name) && host->name[0] == '/')
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESPEC, "socket=%Q in the MySQL URL: must be the absolute path of the server's socket",
                   value.at, value.len);
}

static const struct fz_url_key keys[] = {
    {"socket", FZ_URL_OWN, NULL, NULL, NULL, 0, read_socket},
    {"table", FZ_URL_OWN, "frazil_lease", NULL, NULL, 0, read_table},
    {"ssl-mode", FZ_URL_OWN, NULL, NULL, NULL, 0, read_ssl_mode},
    {"ssl-ca", FZ_URL_FILE, NULL, NULL, NULL, offsetof(struct fz_mysql_url, ca), NULL},
    {"ssl-cert", FZ_URL_FILE, NULL, NULL, NULL, offsetof(struct fz_mysql_url, cert), NULL},
    {"ssl-key", FZ_URL_FILE, NULL, NULL, NULL, offsetof(struct fz_mysql_url, key), NULL},
    {.name = NULL}};

/* ---- all of it ------------------------------------------------------------- */

static frazil_err read_path(const struct fz_url_kind *kind, struct fz_url_piece path, struct fz_url *common,
                            frazil_error *reterr)
{
    struct fz_mysql_url *url = (struct fz_mysql_url *)common;

    return fz_sql_place_read_path(kind, path, common, url->database, sizeof url->database, reterr);
}

/* A file of TLS that nobody would look at, or a mode that nobody would keep. */
static frazil_err check_tls(const struct fz_mysql_url *url, frazil_error *reterr)
{
    bool has_file = url->ca[0] != '\0' || url->cert[0] != '\0' || url->key[0] != '\0';

    if ((url->cert[0] != '\0') != (url->key[0] != '\0'))
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "the MySQL URL has only one of ssl-cert and ssl-key: give both or neither");
    if (url->common.is_path && (has_file || url->tls == FZ_MYSQL_TLS_VERIFY_IDENTITY))
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "the MySQL URL has a socket, which has no TLS: leave out ssl-mode and the TLS files");
    if (url->tls == FZ_MYSQL_TLS_DISABLED && has_file)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "the MySQL URL has ssl-mode=DISABLED, and TLS files: leave out the mode, or the files");
    return FRAZIL_OK;
}

/* The client library would look for both elsewhere. */
static frazil_err check(const struct fz_url_kind *kind, const struct fz_url *common, frazil_error *reterr)
{
    const struct fz_mysql_url *url = (const struct fz_mysql_url *)common;

    if (common->hosts[0].name[0] == '\0')
        return fz_fail(reterr, FRAZIL_ESPEC, "the MySQL URL names no host: write %s, or ?socket=/PATH", kind->form);
    for (size_t i = 0; i < common->host_count; i++) {
        if (strchr(common->hosts[i].name, ';') != NULL) /* libmariadb would read options in it */
            return fz_fail(reterr, FRAZIL_ESPEC, "a host of the MySQL URL has a ';' in its name");
    }
    if (common->access.user[0] == '\0')
        return fz_fail(reterr, FRAZIL_ESPEC, "the MySQL URL names no user: write %s", kind->form);
    return check_tls(url, reterr);
}

static const struct fz_url_scheme schemes[] = {{.text = "mysql://"}, {.text = "mariadb://"}, {.text = NULL}};

static const struct fz_url_kind mysql = {.what = "MySQL",
                                         .form = "mysql://USER[:PASSWORD]@HOST[:PORT]/DATABASE/NAMESPACE",
                                         .schemes = schemes,
                                         .keys = keys,
                                         .size = sizeof(struct fz_mysql_url),
                                         .hosts_max = 8,
                                         .default_port = 3306,
                                         .user_alone = true,
                                         .read_place = fz_sql_place_read_hosts,
                                         .read_path = read_path,
                                         .check = check};
const struct fz_url_kind *const fz_mysql_url_kind = &mysql;

void fz_mysql_url_show(const struct fz_mysql_url *url, char buf[FZ_MYSQL_SHOWN_SIZE])
{
    fz_sql_place_show(&mysql, &url->common, url->database, buf, FZ_MYSQL_SHOWN_SIZE);
}
