/* SPDX-License-Identifier: MIT */
/* OpenSSL below a client library, and the end of a process in which it is used. */
#ifndef FZ_COMMON_TLS_H
#define FZ_COMMON_TLS_H

#include "os/clients.h"

/*
 * fz_clients_share of a part whose client library uses OpenSSL: from the end of the process on nobody goes in
 * (os/clients.h).  Any thread.
 */
FZ_PRIVATE struct fz_clients *fz_tls_share_clients(struct fz_clients *given);

/*
 * Before a client library uses OpenSSL for the first time: has that end come before OpenSSL clears up.  The caller is
 * inside.  Any thread, any number of times.
 */
FZ_PRIVATE void fz_tls_begin(void);

#endif
