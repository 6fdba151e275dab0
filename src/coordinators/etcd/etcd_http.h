/* SPDX-License-Identifier: MIT */
/*
 * One HTTP exchange at a time with one host, over a connection that is kept.  It
 * knows whether a request that failed can have been carried out.  One caller at a
 * time.
 */
#ifndef FZ_COORDINATORS_ETCD_HTTP_H
#define FZ_COORDINATORS_ETCD_HTTP_H

#include <curl/curl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etcd_url.h"
#include "os/kept_fd.h"

enum { FZ_ETCD_SOCKETS_MAX = 8 };

/* Bytes of a token, terminator included. */
enum { FZ_ETCD_TOKEN_SIZE = 4096 };

struct fz_etcd_http {
    const struct fz_etcd_url *url;
    CURL *curl;                                     /* NULL: not connected */
    CURLM *multi;                                   /* carries its requests out and has its connection; NULL: as curl */
    struct fz_kept_fd sockets[FZ_ETCD_SOCKETS_MAX]; /* the sockets that it has open */
    _Atomic bool is_busy;         /* in an exchange: a child forked now inherits a handle that is half changed */
    char reason[CURL_ERROR_SIZE]; /* why the last exchange failed */
    bool has_date;
    int64_t date_unix_s; /* the server's time in the last answer's header, in whole seconds */
    char *reply;         /* NULL: none yet */
    size_t reply_len;
    size_t reply_room;
    size_t head_len;  /* bytes of headers */
    bool is_too_long; /* the answer, or its headers */
    /* The request in hand has a connection, or a socket for one: no thread of curl's resolves names. */
    bool is_resolved;
};

struct fz_etcd_request {
    size_t host;       /* of the URL's */
    const char *path;  /* "/v3/kv/range" */
    const char *token; /* empty: none; shorter than FZ_ETCD_TOKEN_SIZE */
    const char *body;  /* JSON, body_len bytes */
    size_t body_len;
    uint32_t timeout_ms; /* 1 or more */
};

enum fz_etcd_http_result {
    FZ_ETCD_HTTP_ANSWERED,  /* with some status and reply, whole */
    FZ_ETCD_HTTP_NOT_SENT,  /* no byte of the request's body has left */
    FZ_ETCD_HTTP_UNTRUSTED, /* the same, because of a certificate, or the server has no TLS */
    FZ_ETCD_HTTP_FOREIGN,   /* it may have been sent, and something else than HTTP was answered */
    FZ_ETCD_HTTP_SENT,      /* it was sent, at least in part, and there is no whole answer */
    FZ_ETCD_HTTP_TIMED_OUT, /* the same, because the time is over */
};

/* Readies one without connecting; the URL must outlive it. */
void fz_etcd_http_start(struct fz_etcd_http *http, const struct fz_etcd_url *url);

/*
 * Posts the request, connecting if need be.  ANSWERED: *ret_status is the status of
 * HTTP, and http->reply, http->reply_len what was answered (not terminated, until the next call);
 * http->has_date: its header says when.
 * Otherwise http->reason says why not.
 */
enum fz_etcd_http_result fz_etcd_http_post(struct fz_etcd_http *http, const struct fz_etcd_request *request,
                                           long *ret_status);

/*
 * In a child after fork: forgets the connections that it has inherited without a
 * word to the server, to which they are still its parent's.
 */
void fz_etcd_http_abandon(struct fz_etcd_http *http);

/* Closes everything. */
void fz_etcd_http_stop(struct fz_etcd_http *http);

/* ---- the time in a Date header ----------------------------------- */

/*
 * Reads exactly len characters of the form "Sun, 06 Nov 1994 08:49:37 GMT" as seconds
 * since 1970; the name of the day is not compared with the date.  false: they are no
 * such text, and nothing has changed.  Pure; any thread.
 */
bool fz_etcd_date_read(const char *text, size_t len, int64_t *ret_unix_s);

#endif
