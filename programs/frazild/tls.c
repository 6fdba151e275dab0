/* SPDX-License-Identifier: MIT */
#include "tls.h"

#include "files.h"

#include <gnutls/crypto.h>
#include <gnutls/x509.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define PEM_BYTES_MAX ((size_t)4 << 20) /* the authorities of a whole system are 220 KB */
#define WORK_BYTES                                                                                                     \
    ((size_t)1 << 20) /* a handshake or a certificate takes far less, and other threads take some meanwhile */
#define CHAIN_MAX 16U /* certificates that a client shows; the handshake allows no more */
#define PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"

struct tls {
    atomic_uint holders;
    gnutls_certificate_credentials_t credentials;
    gnutls_priority_t priorities;
    int64_t end_unix_s;
    unsigned char client_ca_sha256[32];
    bool asks_clients; /* for a certificate, which they need not have */
};

/* Reads a file that a key names, or complains. */
static bool read_pem(const char *key, const char *path, const struct listen_settings *settings, struct bytes *ret,
                     mode_t *ret_mode, struct bytes *errors)
{
    const char *why = file_read(path, PEM_BYTES_MAX, ret, ret_mode);

    if (why != NULL)
        config_complain(errors, settings->place, "%s=%s cannot be read: %s", key, path, why);
    return why == NULL;
}

static gnutls_datum_t datum_of(const struct bytes *bytes)
{
    return (gnutls_datum_t){(unsigned char *)bytes->at, (unsigned)bytes->len};
}

/* When the last of the certificates begins, and when the first of them ends. */
static int64_t end_of(gnutls_certificate_credentials_t credentials, int64_t *ret_begin_unix_s)
{
    int64_t end_unix_s = INT64_MAX;
    gnutls_x509_crt_t *rows = NULL;
    unsigned count = 0;

    *ret_begin_unix_s = INT64_MIN;
    if (gnutls_certificate_get_x509_crt(credentials, 0, &rows, &count) < 0)
        return end_unix_s;
    for (unsigned i = 0; i < count; i++) {
        int64_t one_unix_s = gnutls_x509_crt_get_expiration_time(rows[i]);
        int64_t its_begin_unix_s = gnutls_x509_crt_get_activation_time(rows[i]);
        end_unix_s = one_unix_s < end_unix_s ? one_unix_s : end_unix_s;
        *ret_begin_unix_s = its_begin_unix_s > *ret_begin_unix_s ? its_begin_unix_s : *ret_begin_unix_s;
        gnutls_x509_crt_deinit(rows[i]);
    }
    gnutls_free(rows);
    return end_unix_s;
}

/* The authorities that sign the certificates of clients.  Returns whether the file is right, or complains. */
static bool load_client_ca(struct tls *tls, const struct listen_settings *settings, struct bytes *errors)
{
    struct bytes pem = {0};

    if (settings->tls_client_ca[0] == '\0')
        return true;
    if (!read_pem("tls_client_ca", settings->tls_client_ca, settings, &pem, NULL, errors))
        return false;
    const gnutls_datum_t datum = datum_of(&pem);
    int count = gnutls_certificate_set_x509_trust_mem(tls->credentials, &datum, GNUTLS_X509_FMT_PEM);
    if (count > 0 && gnutls_hash_fast(GNUTLS_DIG_SHA256, datum.data, datum.size, tls->client_ca_sha256) != 0)
        count = GNUTLS_E_MEMORY_ERROR;
    bytes_free(&pem);
    tls->asks_clients = count > 0;
    if (!tls->asks_clients)
        config_complain(errors, settings->place, "tls_client_ca=%s cannot be used: %s", settings->tls_client_ca,
                        count < 0 ? gnutls_strerror(count) : "there is no certificate in it");
    return tls->asks_clients;
}

/* Returns what is wrong, or NULL. */
static const char *load(struct tls *tls, const struct bytes *certificate, const struct bytes *key)
{
    const gnutls_datum_t certificate_datum = datum_of(certificate), key_datum = datum_of(key);
    int err = gnutls_certificate_allocate_credentials(&tls->credentials);
    int64_t begin_unix_s = 0;

    if (err == GNUTLS_E_SUCCESS)
        err = gnutls_priority_init(&tls->priorities, PRIORITIES, NULL);
    if (err == GNUTLS_E_SUCCESS)
        err =
            gnutls_certificate_set_x509_key_mem(tls->credentials, &certificate_datum, &key_datum, GNUTLS_X509_FMT_PEM);
    if (err < 0)
        return gnutls_strerror(err);
    tls->end_unix_s = end_of(tls->credentials, &begin_unix_s);
    if (begin_unix_s > time(NULL))
        return "the certificate is not valid yet";
    return tls->end_unix_s < time(NULL) ? "the certificate has expired" : NULL;
}

/* Reads certificate and key.  Returns whether both are right, or complains. */
static bool load_pair(struct tls *tls, const struct listen_settings *settings, struct bytes *errors)
{
    struct bytes certificate = {0}, key = {0};
    const char *why = NULL;
    mode_t mode = 0;

    bool good = read_pem("tls_certificate", settings->tls_certificate, settings, &certificate, NULL, errors) &&
                read_pem("tls_key", settings->tls_key, settings, &key, &mode, errors);
    /* A user that can read the key can pretend to be this daemon. */
    if ((mode & (S_IROTH | S_IWOTH)) != 0)
        config_complain(errors, settings->place, "tls_key=%s is open to everybody: chmod o-rwx", settings->tls_key);
    if (good)
        why = load(tls, &certificate, &key);
    if (why != NULL)
        config_complain(errors, settings->place, "tls_certificate=%s and tls_key=%s cannot be used: %s",
                        settings->tls_certificate, settings->tls_key, why);
    bytes_free(&certificate);
    file_wipe(&key);
    return good && why == NULL;
}

bool tls_has_memory(void)
{
    struct bytes probe = {0};
    bool has = bytes_room(&probe, WORK_BYTES) != NULL;

    bytes_free(&probe);
    return has;
}

struct tls *tls_open(const struct listen_settings *settings, struct bytes *errors)
{
    if (!settings->given || settings->tls_certificate[0] == '\0' || settings->tls_key[0] == '\0')
        return NULL;
    struct tls *tls = tls_has_memory() ? calloc(1, sizeof *tls) : NULL;
    if (tls == NULL) {
        config_complain(errors, settings->place, "out of memory");
        return NULL;
    }
    atomic_init(&tls->holders, 1);
    if (load_pair(tls, settings, errors) && load_client_ca(tls, settings, errors))
        return tls;
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

/* A certificate of a client must be good for this purpose. */
static gnutls_typed_vdata_st client_purpose(void)
{
    static unsigned char clients[] = GNUTLS_KP_TLS_WWW_CLIENT;

    return (gnutls_typed_vdata_st){.type = GNUTLS_DT_KEY_PURPOSE_OID, .data = clients};
}

/* A client may come without a certificate, and log in by a token; one that it shows must be good. */
static int verify_client(gnutls_session_t session)
{
    gnutls_typed_vdata_st purpose = client_purpose();
    unsigned count = 0, faults = 0;

    if (gnutls_certificate_get_peers(session, &count) == NULL || count == 0)
        return 0;
    int err = gnutls_certificate_verify_peers(session, &purpose, 1, &faults);
    return err < 0 || faults != 0 ? GNUTLS_E_CERTIFICATE_ERROR : 0;
}

/* One of the certificates that the client has shown, its own first; NULL: there is none.  The caller frees it. */
static gnutls_x509_crt_t certificate_of(gnutls_session_t session, unsigned i)
{
    unsigned count = 0;
    const gnutls_datum_t *shown = gnutls_certificate_get_peers(session, &count);
    gnutls_x509_crt_t certificate;

    if (shown == NULL || i >= count || gnutls_x509_crt_init(&certificate) < 0)
        return NULL;
    if (gnutls_x509_crt_import(certificate, &shown[i], GNUTLS_X509_FMT_DER) >= 0)
        return certificate;
    gnutls_x509_crt_deinit(certificate);
    return NULL;
}

int64_t tls_client_end_unix_s(gnutls_session_t session)
{
    gnutls_x509_crt_t certificate = certificate_of(session, 0);

    if (certificate == NULL)
        return INT64_MAX;
    int64_t end_unix_s = gnutls_x509_crt_get_expiration_time(certificate);
    gnutls_x509_crt_deinit(certificate);
    return end_unix_s;
}

bool tls_trusts_client(const struct tls *tls, const struct tls *before, gnutls_session_t session)
{
    gnutls_x509_crt_t chain[CHAIN_MAX];
    gnutls_typed_vdata_st purpose = client_purpose();
    gnutls_x509_trust_list_t signers;
    unsigned count = 0, faults = 0;

    if (tls == before || gnutls_certificate_get_peers(session, &count) == NULL || count == 0 ||
        memcmp(tls->client_ca_sha256, before->client_ca_sha256, sizeof tls->client_ca_sha256) == 0)
        return true;
    if (!tls->asks_clients)
        return false;
    for (count = 0; count < CHAIN_MAX && (chain[count] = certificate_of(session, count)) != NULL; count++)
        continue;
    gnutls_certificate_get_trust_list(tls->credentials, &signers);
    int err = gnutls_x509_trust_list_verify_crt2(signers, chain, count, &purpose, 1, 0, &faults, NULL);
    while (count > 0)
        gnutls_x509_crt_deinit(chain[--count]);
    return err >= 0 && faults == 0;
}

/*
 * Tells of the names of a certificate: its other names, of DNS, in any case, or as a URI, come before the common name,
 * as browsers have it for servers.  A name that is too long for ours is another one.  Names that cannot be read are
 * none: the common name is not asked in their place.
 */
static void tell_names(gnutls_x509_crt_t certificate, void (*tell)(struct slice name, bool any_case, void *ctx),
                       void *ctx)
{
    char text[TLS_NAME_MAX + 1];
    bool has_others = false;
    size_t size;

    for (unsigned i = 0;; i++) {
        size = sizeof text;
        int type = gnutls_x509_crt_get_subject_alt_name(certificate, i, text, &size, NULL);
        if (type == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
            break;
        if (type < 0 && type != GNUTLS_E_SHORT_MEMORY_BUFFER && type != GNUTLS_E_X509_UNKNOWN_SAN)
            return;
        bool is_ours = type == GNUTLS_SAN_DNSNAME || type == GNUTLS_SAN_URI;
        has_others |= is_ours || type == GNUTLS_E_SHORT_MEMORY_BUFFER;
        if (is_ours)
            tell((struct slice){text, size}, type == GNUTLS_SAN_DNSNAME, ctx);
    }
    size = sizeof text;
    if (!has_others && gnutls_x509_crt_get_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, 0, text, &size) >= 0)
        tell((struct slice){text, size}, false, ctx);
}

void tls_client_names(gnutls_session_t session, void (*tell)(struct slice name, bool any_case, void *ctx), void *ctx)
{
    gnutls_x509_crt_t certificate = certificate_of(session, 0);

    if (certificate == NULL)
        return;
    tell_names(certificate, tell, ctx);
    gnutls_x509_crt_deinit(certificate);
}

/* Gives a session the certificate, which the caller holds until the session has ended.  False: no memory. */
static bool give(const struct tls *tls, gnutls_session_t session)
{
    gnutls_certificate_server_set_request(session, tls->asks_clients ? GNUTLS_CERT_REQUEST : GNUTLS_CERT_IGNORE);
    gnutls_session_set_verify_function(session, verify_client);
    return gnutls_priority_set(session, tls->priorities) == GNUTLS_E_SUCCESS &&
           gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, tls->credentials) == GNUTLS_E_SUCCESS;
}

gnutls_session_t tls_begin(const struct tls *tls, int fd)
{
    gnutls_session_t session;

    if (gnutls_init(&session, GNUTLS_SERVER | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL) < 0)
        return NULL;
    if (!give(tls, session)) {
        gnutls_deinit(session);
        return NULL;
    }
    gnutls_transport_set_int(session, fd);
    return session;
}
