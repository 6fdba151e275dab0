/* SPDX-License-Identifier: MIT */
#include "tls.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* As <openssl/crypto.h> has it.  NULL: no client library of this part has brought OpenSSL. */
extern int OPENSSL_init_crypto(uint64_t options, const void *settings) __attribute__((weak));

/*
 * OPENSSL_INIT_ASYNC, for which it makes two keys of threads: the shortest work that has it register its end.  If the
 * process ends between the two, OpenSSL clears up while this goes on.
 */
static const uint64_t least_work = 0x100;

static pthread_once_t tls_shared = PTHREAD_ONCE_INIT;
static pthread_once_t tls_begun = PTHREAD_ONCE_INIT;

/* Also before OpenSSL is used: a process that ends then would let threads make it ready while its memory is freed. */
struct fz_clients *fz_tls_share_clients(struct fz_clients *given)
{
    struct fz_clients *clients = fz_clients_share(given);

    if (clients != NULL && fz_clients_enter(NULL) == FRAZIL_OK) {
        (void)pthread_once(&tls_shared, fz_clients_end_at_exit);
        fz_clients_leave();
    }
    return clients;
}

/* OpenSSL has its end registered when it is first used, and what is registered after that is called before. */
static void begin_tls(void)
{
    if (OPENSSL_init_crypto != NULL)
        (void)OPENSSL_init_crypto(least_work, NULL);
    fz_clients_end_at_exit();
}

void fz_tls_begin(void)
{
    (void)pthread_once(&tls_begun, begin_tls);
}
