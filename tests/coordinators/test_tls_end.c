/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: when a process ends that has used TLS, nobody is in a client library, or can go in, by the time
 * that OpenSSL clears up after itself.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/tls.h"
#include "lib/test.h"
#include "os/clients.h"

/* As <openssl/crypto.h> has it: calls that when OpenSSL clears up. */
extern int OPENSSL_atexit(void (*handler)(void)) __attribute__((weak));

static void clear_up(void)
{
    _exit(fz_clients_check(fz_clients_share(NULL), NULL) == FRAZIL_ESYS ? 0 : 1);
}

TEST("Nobody goes in any more when OpenSSL clears up")
{
    int status = -1;

    if (OPENSSL_atexit == NULL)
        skip();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (fz_clients_enter(NULL) != FRAZIL_OK)
            _exit(2);
        fz_tls_begin();
        fz_clients_leave();
        exit(OPENSSL_atexit != NULL && OPENSSL_atexit(clear_up) == 1 ? 3 : 4);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}
