/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: through TLS a server is believed for its certificate only, and
 * a fork does not end the session.
 */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etcd_server.h"
#include "lib/proxy.h"
#include "lib/scratch.h"
#include "lib/test.h"

static void run(const struct server *server, const char *const *argv)
{
    if (!server_command(server, argv))
        fail_msg("%s: see %s/log", argv[1], server->folder);
}

/* NAME.pem and NAME.key, signed by the CA of the folder. */
static void make_certificate(const struct server *server, const char *name)
{
    char key[32];
    char request[32];
    char certificate[32];
    char subject[32];
    const char *const ask[] = {"openssl", "req",   "-newkey", "ec",      "-pkeyopt", "ec_paramgen_curve:prime256v1",
                               "-nodes",  "-subj", subject,   "-keyout", key,        "-out",
                               request,   NULL};
    const char *const sign[] = {
        "openssl",         "x509",  "-req", "-in",      request, "-CA",  "ca.pem",    "-CAkey", "ca.key",
        "-CAcreateserial", "-days", "2",    "-extfile", "names", "-out", certificate, NULL};

    snprintf(key, sizeof key, "%s.key", name);
    snprintf(request, sizeof request, "%s.csr", name);
    snprintf(certificate, sizeof certificate, "%s.pem", name);
    snprintf(subject, sizeof subject, "/CN=%s", name);
    run(server, ask);
    run(server, sign);
}

/* NAME.pem and NAME.key, as make_certificate, good for these usages. */
static void make_certificate_for(const struct server *server, const char *name, const char *usages)
{
    char names[96];
    int len = snprintf(names, sizeof names, "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=%s\n", usages);

    scratch_write(scratch_path(server->folder, "names"), names, (size_t)len);
    make_certificate(server, name);
}

/* usages: what the server's is good for. */
static void make_certificates(const struct server *server, const char *usages)
{
    static const char *const ca[] = {
        "openssl", "req",    "-x509", "-newkey", "ec",     "-pkeyopt", "ec_paramgen_curve:prime256v1",
        "-nodes",  "-days",  "2",     "-subj",   "/CN=ca", "-keyout",  "ca.key",
        "-out",    "ca.pem", NULL};

    run(server, ca);
    make_certificate_for(server, "server", usages);
    make_certificate_for(server, "client", "clientAuth");
}

static const char both[] = "serverAuth,clientAuth";

/* client_auth: whoever connects must have a certificate. */
static void start_tls(struct server *server, bool client_auth, const char *usages)
{
    const char *arguments[] = {"--cert-file", "server.pem", "--key-file", "server.key", NULL, NULL, NULL};

    if (client_auth) {
        arguments[4] = "--client-cert-auth";
        arguments[5] = "--trusted-ca-file=ca.pem";
    }
    server_prepare(server, "etcd");
    make_certificates(server, usages);
    etcd_server_restart(server, arguments);
}

BEFORE_ALL
{
    test_need(etcd_server_installed());
}

TEST("A server is believed only if its certificate is of its host and by whom the URL names")
{
    struct server server;
    uint64_t version;

    start_tls(&server, false, both);
    unsigned port = server.port;
    struct fz_register right =
        etcd_open_url("etcds://127.0.0.1:%u/orders?ca=%s/ca.pem&timeout=60s", port, server.folder);
    version = register_must_swap(&right, 0, 0, "through TLS");
    assert_int_equal(register_must_read(&right, 0).version, version);
    struct fz_register stranger = etcd_open_url("etcds://127.0.0.1:%u/orders?timeout=60s", port);
    assert_int_equal(register_swap(&stranger, 0, version, "x", &version), FZ_REGISTER_REFUSED);
    register_assert_said("cannot connect: SSL certificate problem");
    struct fz_register other_name =
        etcd_open_url("etcds://localhost:%u/orders?ca=%s/ca.pem&timeout=60s", port, server.folder);
    assert_int_equal(register_swap(&other_name, 0, version, "x", &version), FZ_REGISTER_REFUSED);
    register_assert_said("localhost");
    char lost[128];
    snprintf(lost, sizeof lost, "%s/lost.pem", server.folder);
    assert_int_equal(symlink("ca.pem", lost), 0);
    struct fz_register no_ca = etcd_open_url("etcds://127.0.0.1:%u/orders?ca=%s&timeout=60s", port, lost);
    struct fz_register no_key =
        etcd_open_url("etcds://127.0.0.1:%u/orders?ca=%s/ca.pem&cert=%s/ca.pem&key=%s&timeout=60s", port, server.folder,
                      server.folder, lost);
    assert_int_equal(unlink(lost), 0);
    assert_int_equal(register_swap(&no_ca, 0, version, "x", &version), FZ_REGISTER_UNREACHABLE);
    register_assert_said(": cannot read the file of ca=: ");
    assert_int_equal(register_swap(&no_key, 0, version, "x", &version), FZ_REGISTER_UNREACHABLE);
    register_assert_said(": cannot read the file of key=: ");
    register_close(&no_key);
    struct fz_register plain = etcd_open_url("etcd://127.0.0.1:%u/orders?timeout=60s", port);
    assert_int_not_equal(register_swap(&plain, 0, version, "x", &version), FZ_REGISTER_OK);
    assert_int_equal(register_must_read(&right, 0).version, version);
    register_close(&right);
    register_close(&stranger);
    register_close(&other_name);
    register_close(&plain);
    server_stop(&server);
    assert_int_equal(register_swap(&no_ca, 0, version, "x", &version), FZ_REGISTER_UNREACHABLE); /* nobody is there */
    register_close(&no_ca);
}

TEST("A URL that names a file that cannot be read is refused before anybody is asked")
{
    char name[FZ_LEASE_NAME_SIZE];
    struct fz_register none;
    frazil_error err;

    assert_int_equal(
        frazil_coordinator_etcd()->open_register("etcds://127.0.0.1:1/orders?ca=/nonexistent", &none, name, &err),
        FRAZIL_ESYS);
    assert_int_equal(err.sys_errno, ENOENT);
    assert_string_equal(err.message, "the etcd URL: cannot read the file of ca=: '/nonexistent': No such file or "
                                     "directory (errno 2)");
}

TEST("A server that answers the greeting of TLS in another language is refused")
{
    struct fz_record record;
    struct server server;

    etcd_server_start(&server, NULL);
    struct proxy *proxy = proxy_start(server.port);
    proxy_say(proxy, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    struct fz_register reg = etcd_open_url("etcds://127.0.0.1:%u/orders?timeout=60s", (unsigned)proxy->port);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("cannot connect: ");
    register_close(&reg);
    proxy_stop(proxy);
    server_stop(&server);
}

TEST("A server that wants a certificate gets it")
{
    struct server server;
    uint64_t version;

    start_tls(&server, true, both);
    const char *folder = server.folder;
    struct fz_register with = etcd_open_url("etcds://127.0.0.1:%u/orders?ca=%s/ca.pem&cert=%s/client.pem&key=%s/"
                                            "client.key&timeout=60s",
                                            (unsigned)server.port, folder, folder, folder);
    version = register_must_swap(&with, 0, 0, "with");
    struct fz_register without =
        etcd_open_url("etcds://127.0.0.1:%u/orders?ca=%s/ca.pem&timeout=60s", (unsigned)server.port, folder);
    assert_int_not_equal(register_swap(&without, 0, version, "without", &version), FZ_REGISTER_OK);
    assert_int_equal(register_must_read(&with, 0).version, version);
    register_close(&with);
    register_close(&without);
    server_stop(&server);
}

TEST("One whose own certificate is no client's cannot talk to itself: it answers, and has done nothing")
{
    struct server server;
    uint64_t version;

    start_tls(&server, true, "serverAuth");
    const char *folder = server.folder;
    struct fz_register reg = etcd_open_url("etcds://127.0.0.1:%u/orders?ca=%s/ca.pem&cert=%s/client.pem&key=%s/"
                                           "client.key&timeout=60s",
                                           (unsigned)server.port, folder, folder, folder);
    assert_int_not_equal(register_swap(&reg, 0, 0, "x", &version), FZ_REGISTER_OK);
    register_assert_said("etcds://127.0.0.1:");
    register_close(&reg);
    server_stop(&server);
}

TEST("A child that drops what it has inherited does not end its parent's session")
{
    struct server server;
    int status = -1;

    start_tls(&server, false, both);
    struct proxy *proxy = proxy_start(server.port);
    struct fz_register reg =
        etcd_open_url("etcds://127.0.0.1:%u/orders?ca=%s/ca.pem&timeout=60s", (unsigned)proxy->port, server.folder);
    uint64_t version = register_must_swap(&reg, 0, 0, "parent");
    unsigned before = proxy->accepted;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        reg.after_fork(reg.ctx);
        register_close(&reg);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    for (int i = 0; i < 20; i++)
        version = register_must_swap(&reg, 0, version, "parent");
    assert_int_equal(proxy->accepted, before);
    register_close(&reg);
    proxy_stop(proxy);
    server_stop(&server);
}
