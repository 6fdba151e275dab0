/* SPDX-License-Identifier: MIT */
/*
 * Where a Redis is, and which namespace of it:
 *
 *   redis://[[USER]:PASSWORD@]HOST[:PORT]/NAMESPACE[?KEY=VALUE&...]
 *   redis+unix:///PATH/OF/SOCKET/NAMESPACE[?...]
 *   rediss://...     the same through TLS
 *
 *   db=N             0 .. 65535; default 0
 *   wait=N           a write counts when so many replicas have it, too (WAIT); 0 .. 16; default 0
 *
 * and the keys of registers/common/url.h.
 */
#ifndef FZ_REGISTERS_REDIS_URL_H
#define FZ_REGISTERS_REDIS_URL_H

#include "common/url.h"

struct fz_redis_url {
    bool tls;
    bool is_unix;
    struct fz_url_host host; /* its name is the socket's path if is_unix */
    struct fz_url_access access;
    char name[FZ_URL_NAMESPACE_SIZE];
    uint32_t db;
    uint32_t wait_replicas;
};

/*
 * Reads a URL, and the password file that it names.  FRAZIL_ESPEC: what is wrong
 * with it; FRAZIL_ESYS: the file cannot be read.  The caller wipes *ret when he is
 * done with it.
 */
frazil_err fz_redis_url_parse(const char *text, struct fz_redis_url *ret, frazil_error *reterr);

/* Bytes that fz_redis_url_show needs, terminator included. */
#define FZ_REDIS_SHOWN_SIZE 512

/* The URL without user and password, for sentences. */
void fz_redis_url_show(const struct fz_redis_url *url, char buf[FZ_REDIS_SHOWN_SIZE]);

#endif
