/* SPDX-License-Identifier: MIT */
/*
 * The command as the page runs it, in WebAssembly: those of its commands that need neither files nor a generator.  The
 * page thus shows of an id what `frazil` prints of it.  WASI's libc is below; command.js is the host.
 */
#include "command.h"
#include "complain.h"
#include "os/host.h"
#include "output.h"
#include "stop.h"

#include <stddef.h>
#include <string.h>

static const struct command *const commands[] = {
    &cmd_inspect, &cmd_convert, &cmd_range, &cmd_layout, &cmd_worker,
};

/* Nothing asks a page's command to end. */
bool stop_wanted(void)
{
    return false;
}

/* Nor does it have an environment. */
const char *fz_environment(const char *name)
{
    (void)name;
    return NULL;
}

char *const *fz_environment_all(void)
{
    static char *const none[] = {NULL};

    return none;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";

    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(name, commands[i]->name) != 0)
            continue;
        int status = commands[i]->run(argc - 1, argv + 1);
        output_flush();
        return status;
    }
    complain("the page has no command %s", quoted(name));
    return STATUS_USAGE;
}
