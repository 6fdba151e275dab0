/* SPDX-License-Identifier: MIT */
#include "tls.h"

#include <gnutls/x509.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"

struct tls {
    atomic_uint holders;
    gnutls_certificate_credentials_t credentials;
    gnutls_priority_t priorities;
    int64_t end_unix_s;
};

/* A stranger who reads the key can pretend to be this daemon. */
static void check_mode(const struct listen_settings *settings, struct bytes *errors)
{
    struct stat about;

    if (stat(settings->tls_key, &about) == 0 && (about.st_mode & (S_IROTH | S_IWOTH)) != 0)
        config_complain(errors, settings->place, "tls_key=%s is open to everybody: chmod o-rwx", settings->tls_key);
}

/* When the first of the certificates ends. */
static int64_t end_of(gnutls_certificate_credentials_t credentials)
{
    int64_t end_unix_s = INT64_MAX;
    gnutls_x509_crt_t *rows = NULL;
    unsigned count = 0;

    if (gnutls_certificate_get_x509_crt(credentials, 0, &rows, &count) < 0)
        return end_unix_s;
    for (unsigned i = 0; i < count; i++) {
        int64_t one_unix_s = gnutls_x509_crt_get_expiration_time(rows[i]);
        end_unix_s = one_unix_s < end_unix_s ? one_unix_s : end_unix_s;
        gnutls_x509_crt_deinit(rows[i]);
    }
    gnutls_free(rows);
    return end_unix_s;
}

/* Returns what is wrong, or NULL. */
static const char *load(struct tls *tls, const struct listen_settings *settings)
{
    int err = gnutls_certificate_allocate_credentials(&tls->credentials);

    if (err == GNUTLS_E_SUCCESS)
        err = gnutls_priority_init(&tls->priorities, PRIORITIES, NULL);
    if (err == GNUTLS_E_SUCCESS)
        err = gnutls_certificate_set_x509_key_file(tls->credentials, settings->tls_certificate, settings->tls_key,
                                                   GNUTLS_X509_FMT_PEM);
    if (err < 0)
        return gnutls_strerror(err);
    tls->end_unix_s = end_of(tls->credentials);
    return tls->end_unix_s < time(NULL) ? "the certificate has ended" : NULL;
}

struct tls *tls_open(const struct listen_settings *settings, struct bytes *errors)
{
    const char *why = "out of memory";
    struct tls *tls;

    if (!settings->given || settings->tls_certificate[0] == '\0' || settings->tls_key[0] == '\0')
        return NULL;
    check_mode(settings, errors);
    tls = calloc(1, sizeof *tls);
    if (tls != NULL) {
        atomic_init(&tls->holders, 1);
        why = load(tls, settings);
    }
    if (why == NULL)
        return tls;
    config_complain(errors, settings->place, "tls_certificate=%s and tls_key=%s cannot be used: %s",
                    settings->tls_certificate, settings->tls_key, why);
    tls_release(tls);
    return NULL;
}

struct tls *tls_hold(struct tls *tls)
{
    (void)atomic_fetch_add(&tls->holders, 1);
    return tls;
}

void tls_release(struct tls *tls)
{
    if (tls == NULL || atomic_fetch_sub(&tls->holders, 1) != 1)
        return;
    if (tls->credentials != NULL)
        gnutls_certificate_free_credentials(tls->credentials);
    if (tls->priorities != NULL)
        gnutls_priority_deinit(tls->priorities);
    free(tls);
}

int64_t tls_end_unix_s(const struct tls *tls)
{
    return tls->end_unix_s;
}

bool tls_give(const struct tls *tls, gnutls_session_t session)
{
    return gnutls_priority_set(session, tls->priorities) == GNUTLS_E_SUCCESS &&
           gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, tls->credentials) == GNUTLS_E_SUCCESS;
}

gnutls_session_t tls_begin(const struct tls *tls, int fd)
{
    gnutls_session_t session;

    if (gnutls_init(&session, GNUTLS_SERVER | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL) < 0)
        return NULL;
    if (!tls_give(tls, session)) {
        gnutls_deinit(session);
        return NULL;
    }
    gnutls_transport_set_int(session, fd);
    return session;
}
