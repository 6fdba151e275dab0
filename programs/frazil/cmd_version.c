/* SPDX-License-Identifier: MIT */
/* frazil version: what this is, and which optional parts it has. */
#include "command.h"
#include "complain.h"
#include "options.h"
#include "output.h"

#include <frazil.h>

#ifdef FRAZIL_HAVE_OPAQUE
static const bool has_opaque = true;
#else
static const bool has_opaque = false;
#endif

static int cmd_version_run(int argc, char **argv)
{
    bool json = false;
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"json", 'j', OPTION_FLAG, &json, NULL, "one object", 0},
        {0},
    };
    static const struct option_help help = {"version [--json]", "Prints the version and the optional parts.", NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (args.count > 0) {
        complain("version takes no arguments, such as \"%s\"", args.values[0]);
        return STATUS_USAGE;
    }
    if (json)
        output_format("{\"version\":\"%s\",\"opaque\":%s}\n", frazil_version(), has_opaque ? "true" : "false");
    else
        output_format("frazil %s\nopaque ids: %s\n", frazil_version(), has_opaque ? "built" : "not built");
    return STATUS_OK;
}

const struct command cmd_version = {"version", "the version and the optional parts", cmd_version_run};
