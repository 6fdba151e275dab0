/* SPDX-License-Identifier: MIT */
#include "mysql_client.h"

#include <mysql.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "common/tls.h"
#include "lease/register.h"

/* Room for TLS and the resolution of names on the stack on which libmariadb works. */
static const size_t stack_size = 262144;

/* ---- the library -------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool library_begun;

/* libmariadb ignores SIGPIPE for the whole program from then on; that is not for a library to decide. */
static void begin_library(void)
{
    struct sigaction before;
    bool known = sigaction(SIGPIPE, NULL, &before) == 0;

    fz_tls_begin();
    library_begun = mysql_library_init(0, NULL, NULL) == 0;
    if (known)
        (void)sigaction(SIGPIPE, &before, NULL);
}

/* ---- its options --------------------------------------------------------------- */

/* Whether the server proves its identity: by its certificate, or because only this host's users reach the socket. */
static bool is_verified(const struct fz_mysql_url *url)
{
    bool asks_for_tls = url->common.access.password[0] != '\0' || url->ca[0] != '\0' || url->cert[0] != '\0';

    return url->common.is_path || url->tls == FZ_MYSQL_TLS_VERIFY_IDENTITY ||
           (url->tls == FZ_MYSQL_TLS_UNSET && asks_for_tls);
}

/* One option.  An option that is left out may be a login that is weaker, so that no failure is passed over. */
static bool set_option(MYSQL *mysql, enum mysql_option option, const void *value)
{
    return mysql_optionsv(mysql, option, value) == 0;
}

/*
 * The same for a text, which libmariadb copies without telling whether it had the memory.  So the copy is looked at, or
 * where it cannot be, there is room for it just before.
 */
static bool set_text_option(MYSQL *mysql, enum mysql_option option, const char *text)
{
    const char *kept = text;
    char *room = strdup(text);
    bool has_room = room != NULL;

    free(room);
    if (!has_room || !set_option(mysql, option, text))
        return false;
    return mysql_get_optionv(mysql, option, &kept) != 0 || (kept != NULL && strcmp(kept, text) == 0);
}

/*
 * Where anybody could be the server, only ways to log in that do not tell it the password; caching_sha2_password
 * does at times.  A server that prefers another one asks for it in a second step.
 */
static bool set_login(MYSQL *mysql, const struct fz_mysql_url *url)
{
    static const char always[] = "mysql_native_password,client_ed25519";
    static const char verified[] = "mysql_native_password,client_ed25519,caching_sha2_password";

    return set_text_option(mysql, MARIADB_OPT_RESTRICTED_AUTH, is_verified(url) ? verified : always) &&
           set_text_option(mysql, MYSQL_DEFAULT_AUTH, "mysql_native_password");
}

static bool set_tls(MYSQL *mysql, const struct fz_mysql_url *url)
{
    static const my_bool on = 1;

    if (url->common.is_path || !is_verified(url))
        return true;
    return set_option(mysql, MYSQL_OPT_SSL_ENFORCE, &on) && set_option(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &on) &&
           (url->ca[0] == '\0' || set_text_option(mysql, MYSQL_OPT_SSL_CA, url->ca)) &&
           (url->cert[0] == '\0' || (set_text_option(mysql, MYSQL_OPT_SSL_CERT, url->cert) &&
                                     set_text_option(mysql, MYSQL_OPT_SSL_KEY, url->key)));
}

static bool set_options(MYSQL *mysql, const struct fz_mysql_url *url, unsigned timeout_s, fz_mysql_wait *wait)
{
    static const unsigned off = 0;
    static const unsigned long packet_max = FZ_ANSWER_SIZE_MAX;
    unsigned protocol = url->common.is_path ? MYSQL_PROTOCOL_SOCKET : MYSQL_PROTOCOL_TCP;

    /* The first one makes what later ones write to without a look. */
    return set_option(mysql, MYSQL_OPT_NONBLOCK, &stack_size) &&
           mysql_optionsv(mysql, MARIADB_OPT_IO_WAIT, wait) == 0 &&
           set_option(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &timeout_s) &&
           set_option(mysql, MYSQL_OPT_MAX_ALLOWED_PACKET, &packet_max) &&
           set_option(mysql, MYSQL_OPT_LOCAL_INFILE, &off) && set_option(mysql, MYSQL_OPT_PROTOCOL, &protocol) &&
           set_text_option(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4") && set_login(mysql, url) && set_tls(mysql, url);
}

MYSQL *fz_mysql_client_new(const struct fz_mysql_url *url, unsigned timeout_s, fz_mysql_wait *wait)
{
    (void)pthread_once(&once, begin_library);
    MYSQL *mysql = library_begun ? mysql_init(NULL) : NULL;
    if (mysql == NULL || set_options(mysql, url, timeout_s, wait))
        return mysql;
    mysql_close(mysql);
    return NULL;
}
