/* SPDX-License-Identifier: MIT */
/*
 * A certificate with its key, as a [listen PROTOCOL] section names their files.  Connections share it; a reload makes
 * a new one for later connections.
 */
#ifndef FRAZILD_TLS_H
#define FRAZILD_TLS_H

#include <gnutls/gnutls.h>

#include "settings.h"

struct tls;

/*
 * Whether GnuTLS may go to work.  GMP, which it computes with, and libtasn1, which reads certificates for it, end the
 * process where they find no memory.
 */
bool tls_has_memory(void);

/*
 * Reads the files of a section.  NULL if it names none, or if they are not right, which is added to errors.  The
 * caller has to let go of it.
 */
struct tls *tls_open(const struct listen_settings *settings, struct bytes *errors);

/* Holds it once more, or lets it go; NULL is let go of without effect.  Any thread. */
struct tls *tls_hold(struct tls *tls);
void tls_release(struct tls *tls);

/* When the certificate ends, in seconds since 1970. */
int64_t tls_end_unix_s(const struct tls *tls);

#define TLS_NAME_MAX 255 /* bytes of a name of ours in a certificate */

/* Tells of the names in the certificate that the client of a session has shown, which is good then; none: of none. */
void tls_client_names(gnutls_session_t session, void (*tell)(struct slice name, bool any_case, void *ctx), void *ctx);

/* When the certificate that the client has shown ends, in seconds since 1970; INT64_MAX: it has shown none. */
int64_t tls_client_end_unix_s(gnutls_session_t session);

/* Whether the certificate of a client, which was good for `before`, is good for tls; also if it has shown none. */
bool tls_trusts_client(const struct tls *tls, const struct tls *before, gnutls_session_t session);

/* Begins a session of a server over a socket.  NULL: no memory.  The caller frees it, before it lets go of tls. */
gnutls_session_t tls_begin(const struct tls *tls, int fd);

#endif
