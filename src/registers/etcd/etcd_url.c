/* SPDX-License-Identifier: MIT */
#include "etcd_url.h"

#include <string.h>

#include "core/wipe.h"

/* The places of the schemes. */
enum { PLAIN, TLS };

static const struct fz_url_scheme schemes[] = {
    [PLAIN] = {"etcd://", false}, [TLS] = {"etcds://", false}, {NULL, false}};

static const struct fz_url_kind etcd = {
    .what = "etcd",
    .form = "etcd://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]...]/NAMESPACE, or etcds:// for TLS",
    .keys = "timeout, ca, cert, key, password_file and user",
    .schemes = schemes,
    .default_port = 2379};

static frazil_err read_key(void *ctx, struct fz_url_piece key, struct fz_url_piece value, bool *ret_known,
                           frazil_error *reterr)
{
    struct fz_etcd_url *url = ctx;

    if (fz_url_is(key, "ca"))
        return fz_url_read_path(&etcd, key, value, url->ca, reterr);
    if (fz_url_is(key, "cert"))
        return fz_url_read_path(&etcd, key, value, url->cert, reterr);
    if (fz_url_is(key, "key"))
        return fz_url_read_path(&etcd, key, value, url->key, reterr);
    *ret_known = false;
    return FRAZIL_OK;
}

static bool is_host_character(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr(".-_:", c) != NULL);
}

/* What all parts together must be like.  The hosts become part of another URL, in which nothing else may be read. */
static frazil_err check(const struct fz_etcd_url *url, frazil_error *reterr)
{
    for (size_t i = 0; i < url->n_hosts; i++) {
        for (const char *c = url->hosts[i].name; *c != '\0'; c++) {
            if (!is_host_character(*c))
                return fz_fail(reterr, FRAZIL_ESPEC, "%q in the etcd URL is no host", url->hosts[i].name);
        }
    }
    if (url->access.password[0] != '\0' && url->access.user[0] == '\0')
        return fz_fail(reterr, FRAZIL_ESPEC, "the etcd URL has a password without a user: etcd knows no such thing");
    if (!url->tls && (url->ca[0] != '\0' || url->cert[0] != '\0' || url->key[0] != '\0'))
        return fz_fail(reterr, FRAZIL_ESPEC, "ca, cert and key in the etcd URL are for TLS: write etcds://");
    if ((url->cert[0] != '\0') != (url->key[0] != '\0'))
        return fz_fail(reterr, FRAZIL_ESPEC, "the etcd URL has one of cert and key: give both, or none");
    return FRAZIL_OK;
}

frazil_err fz_etcd_url_parse(const char *text, struct fz_etcd_url *ret, frazil_error *reterr)
{
    struct fz_etcd_url url = {.access.timeout_ms = FZ_URL_TIMEOUT_MS_DEFAULT};
    struct fz_url_pieces pieces;

    frazil_err err = fz_url_split(&etcd, text, &pieces, reterr);
    if (err != FRAZIL_OK)
        return err;
    url.tls = pieces.scheme == TLS;
    err = fz_url_read_credentials(&etcd, pieces.credentials, &url.access, reterr);
    if (err == FRAZIL_OK)
        err = fz_url_read_hosts(&etcd, pieces.place, url.hosts, FZ_ETCD_HOSTS_MAX, &url.n_hosts, reterr);
    if (err == FRAZIL_OK)
        err = fz_url_read_name(&etcd, pieces.path, url.name, reterr);
    if (err == FRAZIL_OK)
        err = fz_url_read_query(&etcd, pieces.query, &url.access, read_key, &url, reterr);
    if (err == FRAZIL_OK)
        err = check(&url, reterr);
    if (err == FRAZIL_OK)
        *ret = url;
    fz_wipe(&url, sizeof url);
    return err;
}

void fz_etcd_url_show(const struct fz_etcd_url *url, size_t host, char buf[FZ_ETCD_SHOWN_SIZE])
{
    struct fz_sentence s = fz_sentence_in(buf, FZ_ETCD_SHOWN_SIZE);

    fz_sentence_str(&s, schemes[url->tls ? TLS : PLAIN].text);
    fz_url_show_host(&s, &url->hosts[host]);
    fz_sentence_char(&s, '/');
    fz_sentence_str(&s, url->name);
}
