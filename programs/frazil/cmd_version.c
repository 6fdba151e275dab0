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

/* The client library of a coordinator's part, or NULL, with why the part is of no use, in *ret_why. */
static const char *client_of(const char *part, frazil_error *ret_why)
{
    const frazil_coordinator *coordinator;

    return frazil_coordinator_load(&coordinator, part, ret_why) == FRAZIL_OK ? frazil_coordinator_client(coordinator)
                                                                             : NULL;
}

static void print_text(void)
{
    output_format("frazil %s\nopaque ids: %s\n", frazil_version(), has_opaque ? "built" : "not built");
    for (const char *const *part = frazil_coordinator_parts(); *part != NULL; part++) {
        frazil_error why;
        const char *client = client_of(*part, &why);
        output_format("%s: %s", *part, client != NULL ? "" : "not installed (");
        output_sentence(client != NULL ? client : why.message); /* longer than output_format may write */
        output_string(client != NULL ? "\n" : ")\n");
    }
}

static void print_json(void)
{
    output_format("{\"version\":\"%s\",\"opaque\":%s,\"coordinators\":[", frazil_version(),
                  has_opaque ? "true" : "false");
    for (const char *const *part = frazil_coordinator_parts(); *part != NULL; part++) {
        frazil_error why;
        const char *client = client_of(*part, &why);
        output_string(part == frazil_coordinator_parts() ? "" : ",");
        output_format("{\"part\":\"%s\",\"installed\":%s,\"%s\":", *part, client != NULL ? "true" : "false",
                      client != NULL ? "client" : "why");
        output_json_sentence(client != NULL ? client : why.message);
        output_string("}");
    }
    output_string("]}\n");
}

static int cmd_version_run(int argc, char **argv)
{
    bool json = false;
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"json", 'j', OPTION_FLAG, &json, NULL, "one object", 0},
        {0},
    };
    static const struct option_help help = {"version", "[--json]",
                                            "Prints the version and the optional parts: opaque ids, and the kinds of\n"
                                            "coordinators with their client libraries.",
                                            NULL, NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (args.count > 0) {
        complain("version takes no arguments, such as %s", quoted(args.values[0]));
        return STATUS_USAGE;
    }
    if (json)
        print_json();
    else
        print_text();
    return STATUS_OK;
}

const struct command cmd_version = {"version", "the version and the optional parts", cmd_version_run};
