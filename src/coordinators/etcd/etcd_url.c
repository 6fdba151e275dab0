/* SPDX-License-Identifier: MIT */
#include "etcd_url.h"

#include <stddef.h>
#include <string.h>

static const struct fz_url_scheme schemes[] = {{.text = "etcd://"}, {.text = "etcds://", .tls = true}, {.text = NULL}};

static const struct fz_url_key keys[] = {
    {"ca", FZ_URL_FILE, NULL, NULL, NULL, offsetof(struct fz_etcd_url, ca), NULL},
    {"cert", FZ_URL_FILE, NULL, NULL, NULL, offsetof(struct fz_etcd_url, cert), NULL},
    {"key", FZ_URL_FILE, NULL, NULL, NULL, offsetof(struct fz_etcd_url, key), NULL},
    {.name = NULL}};

static bool is_host_character(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr(".-_:", c) != NULL);
}

/* Checks all parts together.  The hosts become part of another URL, in which nothing else may be read. */
static frazil_err check(const struct fz_url_kind *kind, const struct fz_url *common, frazil_error *reterr)
{
    const struct fz_etcd_url *url = (const struct fz_etcd_url *)common;

    (void)kind;
    for (size_t i = 0; i < common->host_count; i++) {
        for (const char *c = common->hosts[i].name; *c != '\0'; c++) {
            if (!is_host_character(*c))
                return fz_fail(reterr, FRAZIL_ESPEC, "%q in the etcd URL is not a host", common->hosts[i].name);
        }
    }
    if (common->access.password[0] != '\0' && common->access.user[0] == '\0')
        return fz_fail(reterr, FRAZIL_ESPEC, "the etcd URL has a password without a user: etcd needs both");
    if (!common->tls && (url->ca[0] != '\0' || url->cert[0] != '\0' || url->key[0] != '\0'))
        return fz_fail(reterr, FRAZIL_ESPEC, "ca, cert and key in the etcd URL are for TLS: write etcds://");
    if ((url->cert[0] != '\0') != (url->key[0] != '\0'))
        return fz_fail(reterr, FRAZIL_ESPEC, "the etcd URL has only one of cert and key: give both or neither");
    return FRAZIL_OK;
}

static const struct fz_url_kind etcd = {
    .what = "etcd",
    .form = "etcd://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]...]/NAMESPACE, or etcds:// for TLS",
    .schemes = schemes,
    .keys = keys,
    .size = sizeof(struct fz_etcd_url),
    .hosts_max = 9,
    .default_port = 2379,
    .check = check};
const struct fz_url_kind *const fz_etcd_url_kind = &etcd;

void fz_etcd_url_show(const struct fz_etcd_url *url, size_t host, char buf[FZ_ETCD_SHOWN_SIZE])
{
    struct fz_sentence s = fz_sentence_in(buf, FZ_ETCD_SHOWN_SIZE);

    fz_sentence_str(&s, schemes[url->common.tls ? 1 : 0].text);
    fz_url_show_host(&s, &url->common.hosts[host]);
    fz_sentence_char(&s, '/');
    fz_sentence_str(&s, url->common.name);
}
