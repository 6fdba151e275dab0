/* SPDX-License-Identifier: MIT */
/*
 * Where a ZooKeeper is, and which namespace of it:
 *
 *   zookeeper://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]...]/NAMESPACE[?KEY=VALUE&...]
 *
 *   path=/frazil     the node below which namespaces are
 *   timeout, password_file, user    see registers/common/url.h
 *
 * The servers are those of one ensemble.  The password never appears in a sentence.
 */
#ifndef FZ_REGISTERS_ZOOKEEPER_URL_H
#define FZ_REGISTERS_ZOOKEEPER_URL_H

#include "common/url.h"

#define FZ_ZOOKEEPER_PATH_SIZE 256
#define FZ_ZOOKEEPER_SERVERS_MAX 16

struct fz_zookeeper_url {
    struct fz_url_host servers[FZ_ZOOKEEPER_SERVERS_MAX];
    size_t server_count;               /* at least 1 */
    struct fz_url_access access;       /* a user and a password, or neither */
    char path[FZ_ZOOKEEPER_PATH_SIZE]; /* begins with '/', and does not end with one */
    char name[FZ_URL_NAMESPACE_SIZE];
};

/*
 * Reads a URL, and the password file that it names.  FRAZIL_ESPEC: what is wrong
 * with it; FRAZIL_ESYS: the file cannot be read.  The caller wipes *ret when he is
 * done with it.
 */
frazil_err fz_zookeeper_url_parse(const char *text, struct fz_zookeeper_url *ret, frazil_error *reterr);

/* Bytes that fz_zookeeper_url_show writes at the most, terminator included; what is longer is cut. */
#define FZ_ZOOKEEPER_SHOWN_SIZE 256

/* Servers and path, without user and password, for sentences: "zookeeper://10.0.0.7:2181/frazil/orders". */
void fz_zookeeper_url_show(const struct fz_zookeeper_url *url, char buf[FZ_ZOOKEEPER_SHOWN_SIZE]);

#endif
