/* SPDX-License-Identifier: MIT */
/*
 * serve KIND: for tests of the command.  Starts an empty coordinator of that kind, prints its
 * port, and ends it at the end of standard input.  Where it is not installed it says so instead.  At each line of
 * standard input it is killed, begins again with what was durable, and its port is printed again.
 * "zookeeper-minority" is one server of an ensemble whose others are not there.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/register_kinds.h"
#ifdef FRAZIL_HAVE_ZOOKEEPER
#include "lib/zookeeper_server.h"
#endif

static const struct register_kind *find(const char *name)
{
    for (size_t i = 0; i < register_kind_count; i++) {
        if (register_kinds[i] != NULL && strcmp(register_kinds[i]->name, name) == 0 &&
            register_kinds[i]->server != NULL)
            return register_kinds[i];
    }
    return NULL;
}

static void print_port(uint16_t port)
{
    printf("%u\n", (unsigned)port);
    fflush(stdout);
}

/* Until the end of input. */
static void obey(const struct register_kind *kind)
{
    char byte;

    while (read(STDIN_FILENO, &byte, 1) > 0) {
        if (byte != '\n' || kind == NULL)
            continue;
        kind->kill(kind->server);
        kind->restart();
        print_port(kind->server->port);
    }
}

#ifdef FRAZIL_HAVE_ZOOKEEPER
/* It ends with this program. */
static int serve_minority(void)
{
    static struct server server;

    if (!zookeeper_server_installed())
        return 0;
    zookeeper_minority_start(&server);
    print_port(server.port);
    obey(NULL);
    server_stop(&server);
    return 0;
}
#else
static int serve_minority(void)
{
    printf("SKIPPED: the part for it is not built\n");
    return 0;
}
#endif

int main(int argc, char **argv)
{
    const struct register_kind *kind = argc == 2 ? find(argv[1]) : NULL;

    if (argc == 2 && strcmp(argv[1], "zookeeper-minority") == 0)
        return serve_minority();
    if (kind == NULL) {
        printf("SKIPPED: the part for it is not built\n");
        return 0;
    }
    if (!kind->start())
        return 0;
    print_port(kind->server->port);
    obey(kind);
    kind->stop();
    return 0;
}
