/* SPDX-License-Identifier: MIT */
/*
 * Where an etcd is, and which namespace of it:
 *
 *   etcd://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]...]/NAMESPACE[?KEY=VALUE&...]
 *   etcds://...      the same through TLS
 *
 * The hosts are the members of one cluster.
 */
#ifndef FZ_COORDINATORS_ETCD_URL_H
#define FZ_COORDINATORS_ETCD_URL_H

#include "common/url.h"

struct fz_etcd_url {
    struct fz_url common;
    char ca[FZ_URL_PATH_SIZE]; /* these three: empty: none */
    char cert[FZ_URL_PATH_SIZE];
    char key[FZ_URL_PATH_SIZE];
};

/* For fz_url_parse, which reads them into the common part of such a struct.  Never freed. */
extern const struct fz_url_kind *const fz_etcd_url_kind;

/* Bytes that fz_etcd_url_show needs, terminator included. */
#define FZ_ETCD_SHOWN_SIZE 384

/* One of its hosts, as a URL without user and password, for sentences. */
void fz_etcd_url_show(const struct fz_etcd_url *url, size_t host, char buf[FZ_ETCD_SHOWN_SIZE]);

#endif
