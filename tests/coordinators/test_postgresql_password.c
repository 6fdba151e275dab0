/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a password does not go over TCP without TLS unless somebody says so.
 * The server here refuses TLS, asks for the password in clear text, and keeps what it hears.
 */
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/postgresql_server.h"
#include "lib/test.h"

/* ---- the server ------------------------------------------------------------------- */

static struct {
    pthread_mutex_t mutex;
    char heard[4096];
    size_t len;
} server = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* The bytes that were heard, with a '.' for each that is 0. */
static size_t hear(int fd, char *buf, size_t size)
{
    ssize_t got = recv(fd, buf, size, 0);

    if (got <= 0)
        return 0;
    pthread_mutex_lock(&server.mutex);
    for (ssize_t i = 0; i < got && server.len < sizeof server.heard - 1; i++)
        server.heard[server.len++] = buf[i] == '\0' ? '.' : buf[i];
    pthread_mutex_unlock(&server.mutex);
    return (size_t)got;
}

static void serve(int fd)
{
    static const char in_clear_text[] = {'R', 0, 0, 0, 8, 0, 0, 0, 3};
    char buf[1024];
    size_t got;

    /* Requests for TLS and for GSSAPI have 8 bytes. */
    while ((got = hear(fd, buf, sizeof buf)) == 8) {
        if (send(fd, "N", 1, MSG_NOSIGNAL) != 1)
            return;
    }
    if (got > 0 && send(fd, in_clear_text, sizeof in_clear_text, MSG_NOSIGNAL) > 0)
        (void)hear(fd, buf, sizeof buf);
}

static void *serve_all(void *ctx)
{
    const int *listener = ctx;

    for (;;) {
        int fd = accept(*listener, NULL, NULL);
        if (fd < 0)
            return NULL; /* it was shut down */
        serve(fd);
        close(fd);
    }
}

struct place {
    int listener;
    pthread_t thread;
    uint16_t port; /* where it is TCP */
};

static void serve_at(struct place *place, const struct sockaddr *address, socklen_t size)
{
    struct sockaddr_in bound = {.sin_port = 0};
    socklen_t len = sizeof bound;

    place->listener = socket(address->sa_family, SOCK_STREAM, 0);
    assert_true(place->listener >= 0);
    assert_int_equal(bind(place->listener, address, size), 0);
    assert_int_equal(listen(place->listener, 16), 0);
    if (address->sa_family == AF_INET)
        assert_int_equal(getsockname(place->listener, (struct sockaddr *)&bound, &len), 0);
    place->port = ntohs(bound.sin_port);
    assert_int_equal(pthread_create(&place->thread, NULL, serve_all, &place->listener), 0);
}

static void serve_on_loopback(struct place *place)
{
    const struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    serve_at(place, (const struct sockaddr *)&address, sizeof address);
}

static void stop(struct place *place)
{
    shutdown(place->listener, SHUT_RDWR);
    pthread_join(place->thread, NULL);
    close(place->listener);
}

/* ---- one who logs in ---------------------------------------------------------------- */

enum heard { NOTHING_SENT, LOGGED_IN_WITHOUT, PASSWORD_SENT };

/* The bytes that the server hears of a login by this URL; it never lets anybody in. */
static enum heard login(const char *url)
{
    struct fz_register reg = postgresql_open_url("%s", url);
    struct fz_record record;
    enum heard ret = NOTHING_SENT;

    pthread_mutex_lock(&server.mutex);
    server.len = 0;
    pthread_mutex_unlock(&server.mutex);
    assert_int_not_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    assert_null(strstr(register_said.message, "s3cret"));
    register_close(&reg);
    pthread_mutex_lock(&server.mutex);
    server.heard[server.len] = '\0';
    if (strstr(server.heard, "s3cret") != NULL)
        ret = PASSWORD_SENT;
    else if (strstr(server.heard, "application_name.frazil") != NULL)
        ret = LOGGED_IN_WITHOUT;
    pthread_mutex_unlock(&server.mutex);
    return ret;
}

static enum heard login_to(const struct place *place, const char *user, const char *keys)
{
    char url[160];

    snprintf(url, sizeof url, "postgres://%s@127.0.0.1:%u/db/orders?timeout=60s%s", user, (unsigned)place->port, keys);
    return login(url);
}

/* The same with a variable set. */
static enum heard login_under(const struct place *place, const char *variable, const char *value, const char *user)
{
    assert_int_equal(setenv(variable, value, 1), 0);
    enum heard ret = login_to(place, user, "");
    unsetenv(variable);
    return ret;
}

static void assert_refused(enum heard heard)
{
    assert_int_equal(heard, NOTHING_SENT);
    register_assert_said("server does not support SSL, but SSL was required': no password is sent without TLS unless "
                         "sslmode= allows it: set up TLS at the server, or write sslmode=disable in the URL if you "
                         "trust the network");
}

/* ---- the tests ------------------------------------------------------------------------ */

static void write_file(char *path, const char *text)
{
    int fd = mkstemp(path); /* for nobody else's eyes, as libpq wants its own */

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

TEST("Wherever the password comes from")
{
    char passwords[] = "/tmp/frazil-passwords-XXXXXX";
    char services[] = "/tmp/frazil-services-XXXXXX";
    char password[] = "/tmp/frazil-password-XXXXXX";
    char keys[64];
    struct place place;

    serve_on_loopback(&place);
    assert_refused(login_to(&place, "me:s3cret", ""));
    write_file(password, "s3cret\n");
    snprintf(keys, sizeof keys, "&password_file=%s", password);
    assert_refused(login_to(&place, "me", keys));
    assert_refused(login_under(&place, "PGPASSWORD", "s3cret", "me"));
    write_file(passwords, "*:*:*:*:s3cret\n");
    assert_refused(login_under(&place, "PGPASSFILE", passwords, "me"));
    write_file(services, "[ours]\npassword=s3cret\n");
    assert_int_equal(setenv("PGSERVICEFILE", services, 1), 0);
    assert_refused(login_under(&place, "PGSERVICE", "ours", "me"));
    unsetenv("PGSERVICEFILE");
    unlink(password);
    unlink(passwords);
    unlink(services);
    stop(&place);
}

TEST("A URL that says how much TLS it wants gets that, and no other sentence than libpq's")
{
    char services[] = "/tmp/frazil-services-XXXXXX";
    struct place place;

    serve_on_loopback(&place);
    assert_int_equal(login_to(&place, "me:s3cret", "&sslmode=disable"), PASSWORD_SENT);
    assert_int_equal(login_to(&place, "me:s3cret", "&sslmode=prefer"), PASSWORD_SENT);
    assert_int_equal(login_under(&place, "PGSSLMODE", "disable", "me:s3cret"), PASSWORD_SENT);
    assert_int_equal(login_under(&place, "PGSSLMODE", "allow", "me:s3cret"), PASSWORD_SENT);
    write_file(services, "[ours]\nsslmode=disable\n");
    assert_int_equal(setenv("PGSERVICEFILE", services, 1), 0);
    assert_int_equal(login_under(&place, "PGSERVICE", "ours", "me:s3cret"), PASSWORD_SENT);
    unsetenv("PGSERVICEFILE");
    unlink(services);
    assert_int_equal(login_under(&place, "PGSSLMODE", "require", "me:s3cret"), NOTHING_SENT);
    assert_null(strstr(register_said.message, "sslmode="));
    assert_int_equal(login_to(&place, "me:s3cret", "&sslmode=require"), NOTHING_SENT);
    assert_null(strstr(register_said.message, "sslmode="));
    /* libpq's default counts where the URL says it. */
    assert_refused(login_under(&place, "PGSSLMODE", "prefer", "me:s3cret"));
    stop(&place);
}

TEST("Without a password there is nothing to hide")
{
    struct place place;

    serve_on_loopback(&place);
    assert_int_equal(login_to(&place, "me", ""), LOGGED_IN_WITHOUT);
    stop(&place);
}

TEST("A Unix socket needs no TLS")
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char folder[] = "/tmp/frazil-socket-XXXXXX";
    char url[160];
    struct place place;

    assert_non_null(mkdtemp(folder));
    snprintf(address.sun_path, sizeof address.sun_path, "%s/.s.PGSQL.5432", folder);
    serve_at(&place, (const struct sockaddr *)&address, sizeof address);
    snprintf(url, sizeof url, "postgres://me:s3cret@/db/orders?timeout=60s&host=%s", folder);
    assert_int_equal(login(url), PASSWORD_SENT);
    snprintf(url, sizeof url, "postgres://me@/db/orders?timeout=60s&host=%s", folder);
    assert_int_equal(setenv("PGPASSWORD", "s3cret", 1), 0);
    assert_int_equal(login(url), PASSWORD_SENT);
    unsetenv("PGPASSWORD");
    stop(&place);
    unlink(address.sun_path);
    rmdir(folder);
}

/* The settings of this host's user for other clients do not count here. */
BEFORE_EACH
{
    static const char *const names[] = {"PGHOST",    "PGPORT",        "PGPASSWORD",   "PGSSLMODE",
                                        "PGSERVICE", "PGSERVICEFILE", "PGREQUIRESSL", "PGSSLROOTCERT"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unsetenv(names[i]);
    assert_int_equal(setenv("PGPASSFILE", "/dev/null", 1), 0);
}
