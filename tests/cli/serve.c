/* SPDX-License-Identifier: MIT */
/*
 * serve KIND: for tests of the command.  Starts an empty coordinator of that kind, prints its
 * port, and ends it at the end of standard input.  Where it is not installed it says so instead.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/register_kinds.h"

static const struct register_kind *find(const char *name)
{
    for (size_t i = 0; i < register_kind_count; i++) {
        if (register_kinds[i] != NULL && strcmp(register_kinds[i]->name, name) == 0 &&
            register_kinds[i]->server != NULL)
            return register_kinds[i];
    }
    return NULL;
}

static void await_end_of_input(void)
{
    char buf[64];

    while (read(STDIN_FILENO, buf, sizeof buf) > 0) {
    }
}

int main(int argc, char **argv)
{
    const struct register_kind *kind = argc == 2 ? find(argv[1]) : NULL;

    if (kind == NULL) {
        printf("SKIPPED: the part for it is not built\n");
        return 0;
    }
    if (!kind->start())
        return 0;
    printf("%u\n", (unsigned)kind->server->port);
    fflush(stdout);
    await_end_of_input();
    kind->stop();
    return 0;
}
