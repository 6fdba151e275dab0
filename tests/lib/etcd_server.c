/* SPDX-License-Identifier: MIT */
#include "lib/etcd_server.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/asserts.h"

enum { ARGUMENTS_MAX = 48, URL_SIZE = 64, PATH_SIZE = sizeof((struct server *)0)->folder + 16 };

bool etcd_server_installed(void)
{
    return server_installed("etcd") && server_installed("etcdctl");
}

/* Its log says so; with TLS nothing else can without the certificates. */
static bool answers(const struct server *server)
{
    char path[PATH_SIZE];
    char line[512];
    bool ready = false;

    snprintf(path, sizeof path, "%s/log", server->folder);
    FILE *log = fopen(path, "r");
    while (log != NULL && !ready && fgets(line, sizeof line, log) != NULL)
        ready = strstr(line, "ready to serve client requests") != NULL;
    if (log != NULL)
        fclose(log);
    return ready;
}

static bool has(const char *const *arguments, const char *word)
{
    for (; arguments != NULL && *arguments != NULL; arguments++) {
        if (strcmp(*arguments, word) == 0)
            return true;
    }
    return false;
}

static bool answers_or_not(const struct server *server)
{
    (void)server;
    return true;
}

static void run(struct server *server, const char *const *arguments, bool (*ready)(const struct server *server))
{
    bool tls = has(arguments, "--cert-file");
    char url[URL_SIZE];
    char path[PATH_SIZE];
    const char *own[] = {
        "--data-dir", "data", "--log-level", "info", "--listen-client-urls", url, "--advertise-client-urls", url, NULL};
    /* Nobody connects there: it is the only one. */
    static const char *const alone[] = {"--listen-peer-urls",
                                        "http://127.0.0.1:0",
                                        "--initial-advertise-peer-urls",
                                        "http://127.0.0.1:2380",
                                        "--initial-cluster",
                                        "default=http://127.0.0.1:2380",
                                        NULL};
    static const char *const none[] = {NULL};
    const char *const *const lists[] = {arguments == NULL ? none : arguments, own,
                                        has(arguments, "--initial-cluster") ? none : alone};
    const char *argv[ARGUMENTS_MAX] = {"etcd"};
    size_t n = 1;

    snprintf(url, sizeof url, "%s://127.0.0.1:%u", tls ? "https" : "http", (unsigned)server->port);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        for (const char *const *word = lists[i]; *word != NULL; word++) {
            assert_true(n < ARGUMENTS_MAX - 1);
            argv[n++] = *word;
        }
    }
    snprintf(path, sizeof path, "%s/log", server->folder);
    unlink(path); /* the output of its last life */
    server_run(server, argv, ready);
}

void etcd_server_restart(struct server *server, const char *const *arguments)
{
    run(server, arguments, answers);
}

void etcd_server_launch(struct server *server, const char *const *arguments)
{
    run(server, arguments, answers_or_not);
}

void etcd_server_start(struct server *server, const char *const *arguments)
{
    server_prepare(server, "etcd");
    etcd_server_restart(server, arguments);
}

bool etcd_server_control(const struct server *server, const char *words)
{
    char endpoint[URL_SIZE];
    char copy[512];
    const char *argv[ARGUMENTS_MAX] = {"env",    "ETCDCTL_API=3",     "etcdctl", "--endpoints",
                                       endpoint, "--command-timeout", "60s"};
    size_t n = 7;
    char *rest = copy;

    assert_true(strlen(words) < sizeof copy);
    memcpy(copy, words, strlen(words) + 1);
    snprintf(endpoint, sizeof endpoint, "http://127.0.0.1:%u", (unsigned)server->port);
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        assert_true(n < ARGUMENTS_MAX - 1);
        argv[n++] = word;
    }
    return server_command(server, argv);
}

void etcd_server_must(const struct server *server, const char *words)
{
    if (!etcd_server_control(server, words))
        fail_msg("etcdctl %s: see %s/log", words, server->folder);
}
