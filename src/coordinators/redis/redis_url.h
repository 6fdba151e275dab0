/* SPDX-License-Identifier: MIT */
/*
 * Where a Redis is, and which namespace of it:
 *
 *   redis://[[USER]:PASSWORD@]HOST[:PORT]/NAMESPACE[?KEY=VALUE&...]
 *   redis+unix:///PATH/OF/SOCKET/NAMESPACE[?...]
 *   rediss://...     the same through TLS, which is refused
 */
#ifndef FZ_COORDINATORS_REDIS_URL_H
#define FZ_COORDINATORS_REDIS_URL_H

#include "common/url.h"

struct fz_redis_url {
    struct fz_url common;
    uint32_t db;
    uint32_t wait_replicas; /* a write counts when this many replicas have it, too (WAIT) */
};

/* For fz_url_parse, which reads them into the common part of such a struct.  Never freed. */
extern const struct fz_url_kind *const fz_redis_url_kind;

/*
 * Other clients have the number of a database where URLs of ours have a namespace, which is digits only by mistake.
 * FRAZIL_ESPEC: it is.
 */
frazil_err fz_redis_url_check_namespace(const char *name, frazil_error *reterr);

/* Bytes that fz_redis_url_show needs, terminator included. */
#define FZ_REDIS_SHOWN_SIZE 512

/* The URL without user and password, for sentences. */
void fz_redis_url_show(const struct fz_redis_url *url, char buf[FZ_REDIS_SHOWN_SIZE]);

#endif
