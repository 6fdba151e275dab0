/* SPDX-License-Identifier: MIT */
/*
 * Where a ZooKeeper is, and which namespace of it:
 *
 *   zookeeper://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]...]/NAMESPACE[?KEY=VALUE&...]
 *
 * The servers are those of one ensemble.  The password never appears in a sentence.
 */
#ifndef FZ_COORDINATORS_ZOOKEEPER_URL_H
#define FZ_COORDINATORS_ZOOKEEPER_URL_H

#include "common/url.h"

#define FZ_ZOOKEEPER_PATH_SIZE 256

struct fz_zookeeper_url {
    struct fz_url common;              /* with a user and a password, or neither */
    char path[FZ_ZOOKEEPER_PATH_SIZE]; /* below it are the namespaces; begins with '/', and does not end with one */
};

/* For fz_url_parse, which reads them into the common part of such a struct.  Never freed. */
extern const struct fz_url_kind *const fz_zookeeper_url_kind;

/* The most bytes that fz_zookeeper_url_show writes, terminator included; longer texts are cut. */
#define FZ_ZOOKEEPER_SHOWN_SIZE 256

/* Servers and path, without user and password, for sentences: "zookeeper://10.0.0.7:2181/frazil/orders". */
void fz_zookeeper_url_show(const struct fz_zookeeper_url *url, char buf[FZ_ZOOKEEPER_SHOWN_SIZE]);

#endif
