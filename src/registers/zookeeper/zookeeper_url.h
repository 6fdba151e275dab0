/* SPDX-License-Identifier: MIT */
/*
 * Where a ZooKeeper is, and which namespace of it:
 *
 *   zookeeper://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]...]/NAMESPACE[?KEY=VALUE&...]
 *
 *   path=/frazil     the node below which namespaces are
 *   timeout=1s       how long one operation may take, connecting included; 10ms .. 60s
 *   password_file=F  the password is the first line of this file
 *   user=NAME        for password_file
 *
 * The servers are those of one ensemble.  User, password and path are percent-encoded.
 * The password never appears in a sentence.
 */
#ifndef FZ_REGISTERS_ZOOKEEPER_URL_H
#define FZ_REGISTERS_ZOOKEEPER_URL_H

#include <stddef.h>
#include <stdint.h>

#include "frazil/error.h"

#define FZ_ZOOKEEPER_HOST_SIZE 256
#define FZ_ZOOKEEPER_SECRET_SIZE 256
#define FZ_ZOOKEEPER_NAMESPACE_SIZE 64
#define FZ_ZOOKEEPER_PATH_SIZE 256
#define FZ_ZOOKEEPER_SERVERS_MAX 16

struct fz_zookeeper_server {
    char host[FZ_ZOOKEEPER_HOST_SIZE];
    uint16_t port;
};

struct fz_zookeeper_url {
    struct fz_zookeeper_server servers[FZ_ZOOKEEPER_SERVERS_MAX];
    size_t server_count;                 /* at least 1 */
    char user[FZ_ZOOKEEPER_SECRET_SIZE]; /* empty: none */
    char password[FZ_ZOOKEEPER_SECRET_SIZE];
    char path[FZ_ZOOKEEPER_PATH_SIZE]; /* begins with '/', and does not end with one */
    char name[FZ_ZOOKEEPER_NAMESPACE_SIZE];
    uint32_t timeout_ms;
};

/*
 * Reads a URL, and the password file that it names.  FRAZIL_ESPEC: what is wrong
 * with it; FRAZIL_ESYS: the file cannot be read.  The caller wipes *ret when he is
 * done with it.
 */
frazil_err fz_zookeeper_url_parse(const char *text, struct fz_zookeeper_url *ret, frazil_error *reterr);

/* Bytes that fz_zookeeper_url_show needs at the most, terminator included; what is longer is cut. */
#define FZ_ZOOKEEPER_SHOWN_SIZE 256

/* Servers and path, without user and password, for sentences: "zookeeper://10.0.0.7:2181/frazil/orders". */
void fz_zookeeper_url_show(const struct fz_zookeeper_url *url, char buf[FZ_ZOOKEEPER_SHOWN_SIZE]);

#endif
