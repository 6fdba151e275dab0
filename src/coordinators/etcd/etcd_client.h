/* SPDX-License-Identifier: MIT */
/*
 * Questions to an etcd, answered by whichever of its members can be reached.  It
 * logs in when it has to, and knows whether a question that failed can have been
 * carried out.  One caller at a time.
 */
#ifndef FZ_COORDINATORS_ETCD_CLIENT_H
#define FZ_COORDINATORS_ETCD_CLIENT_H

#include <jansson.h>

#include "etcd_http.h"
#include "lease/register.h"

struct fz_etcd_client {
    struct fz_etcd_url url;
    struct fz_etcd_http http;
    struct fz_deadline deadline;    /* of the call that it is used by; each function of the port sets it */
    size_t host;                    /* that is asked first */
    char shown[FZ_ETCD_SHOWN_SIZE]; /* the last one asked, for sentences */
    char token[FZ_ETCD_TOKEN_SIZE]; /* empty: not logged in */
    bool no_login;                  /* it has no users: the last login said so */
};

struct fz_etcd_question {
    const char *path; /* "/v3/kv/range" */
    json_t *body;     /* fz_etcd_ask takes it over; NULL: there was no memory for it */
    bool writes;      /* it must not be asked twice when the first answer did not come */
};

/* Readies a client without connecting.  The URL is copied; the client may not be moved. */
void fz_etcd_client_start(struct fz_etcd_client *client, const struct fz_etcd_url *url);

/* Closes its connection and forgets the password. */
void fz_etcd_client_stop(struct fz_etcd_client *client);

/*
 * Asks, within the URL's timeout and the deadline, logging in and trying other members included.
 * FZ_REGISTER_OK: *ret is the answer, a JSON object, which the caller frees (json_decref).
 * UNREACHABLE: it was certainly not carried out.  UNKNOWN: it may have been, or may
 * still be.  REFUSED: etcd said no; reterr says what.
 */
enum fz_register_result fz_etcd_ask(struct fz_etcd_client *client, const struct fz_etcd_question *question,
                                    json_t **ret, frazil_error *reterr);

/* ---- for operators ----------------------------------------------- */

/*
 * Asks for version, leader, members, alarms and users, and whether the key may be
 * written to, and shows findings about them.  Nothing is changed.  Fails as
 * fz_etcd_ask; what etcd refuses to tell is a finding.
 */
enum fz_register_result fz_etcd_diagnose(struct fz_etcd_client *client, const char *key, fz_finding_visitor visit,
                                         void *ctx, frazil_error *reterr);

#endif
