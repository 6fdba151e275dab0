/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: ZooKeeper as a coordinator tells an operator what to know of it,
 * and each finding is there when its cause is, and only then.
 */

#include "frazil/coordinators.h"
#include "lib/findings.h"
#include "lib/proxy.h"
#include "lib/test.h"
#include "lib/zookeeper_server.h"

/* Makes the namespace that a URL names, as far as this is concerned. */
static void make_namespace(const char *url)
{
    struct fz_register reg = zookeeper_open_url("%s", url);

    register_must_swap(&reg, FZ_NAMESPACE, 0, "x");
    reg.close(reg.ctx);
}

TEST("An ensemble as one wishes it: nothing but OK, once the namespace is there")
{
    enum { SERVERS = 3 };
    struct server servers[SERVERS];
    char url[256];

    zookeeper_ensemble_start(servers, SERVERS);
    snprintf(url, sizeof url, "zookeeper://joe:s3cret@127.0.0.1:%u,127.0.0.1:%u,127.0.0.1:%u/orders?timeout=60s",
             (unsigned)servers[0].port, (unsigned)servers[1].port, (unsigned)servers[2].port);
    assert_found(findings_at(frazil_coordinator_zookeeper(), "%s", url), "FAIL there is no namespace orders\n");
    make_namespace(url);
    struct findings findings = findings_at(frazil_coordinator_zookeeper(), "%s", url);
    assert_not_found(findings, "FAIL");
    assert_not_found(findings, "WARN");
    assert_found(findings, "OK version: '3.");
    assert_true(strstr(findings.text, "OK mode: 'leader'\n") != NULL ||
                strstr(findings.text, "OK mode: 'follower'\n") != NULL);
    assert_found(findings, "OK servers: 3 in the URL\n");
    assert_found(findings, "OK permissions: not everybody may change '/frazil/orders'\n");
    for (size_t i = 0; i < SERVERS; i++)
        server_stop(&servers[i]);
}

TEST("Three warnings: a server alone, a URL with one server, nodes for everybody")
{
    struct server server;
    char url[128];

    zookeeper_server_start(&server, NULL);
    snprintf(url, sizeof url, "zookeeper://127.0.0.1:%u/orders?timeout=60s", (unsigned)server.port);
    assert_not_found(findings_at(frazil_coordinator_zookeeper(), "%s", url), "permissions");
    make_namespace(url);
    struct findings findings = findings_at(frazil_coordinator_zookeeper(), "%s", url);
    assert_not_found(findings, "FAIL");
    assert_found(findings, "WARN mode: 'standalone': ");
    assert_found(findings, "WARN servers: 1 in the URL: ");
    assert_found(findings, "WARN permissions: everybody may change '/frazil/orders' and everything below it");
    server_stop(&server);
}

TEST("A server that does not report its mode, as when something in between hangs up, is no worse for it, but nobody "
     "knows")
{
    struct findings findings = {.len = 0};
    struct fz_record record;
    struct server server;
    frazil_error err;

    zookeeper_server_start(&server, NULL);
    struct proxy *proxy = proxy_start(server.port);
    struct fz_register reg = zookeeper_open_url("zookeeper://127.0.0.1:%u/orders?timeout=60s", (unsigned)proxy->port);
    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, 0, &record, NULL, &err), FZ_REGISTER_OK);
    proxy_set(proxy, PROXY_HANG_UP);
    assert_int_equal(reg.diagnose(reg.ctx, FZ_DEADLINE_NONE, findings_note, &findings, &err), FZ_REGISTER_OK);
    assert_not_found(findings, "FAIL");
    assert_found(findings, "WARN mode: unknown, because the server does not answer 'srvr'");
    assert_not_found(findings, "version: ");
    reg.close(reg.ctx);
    proxy_stop(proxy);
    server_stop(&server);
}

TEST("Where somebody else's permissions are in the way, that is what is said")
{
    struct server server;
    char url[128];

    zookeeper_server_start(&server, NULL);
    snprintf(url, sizeof url, "zookeeper://joe:s3cret@127.0.0.1:%u/orders?timeout=60s", (unsigned)server.port);
    make_namespace(url);
    assert_found(findings_at(frazil_coordinator_zookeeper(), "%s", url),
                 "OK permissions: not everybody may change '/frazil/orders'\n");
    snprintf(url, sizeof url, "zookeeper://jane:s3cret@127.0.0.1:%u/orders?timeout=60s", (unsigned)server.port);
    struct findings findings = findings_at(frazil_coordinator_zookeeper(), "%s", url);
    assert_found(findings, "FAIL the coordinator refuses: ");
    assert_found(findings, "do not allow this");
    assert_not_found(findings, "s3cret");
    server_stop(&server);
}

BEFORE_ALL
{
    test_need(zookeeper_server_installed());
}
