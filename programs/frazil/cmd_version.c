/* SPDX-License-Identifier: MIT */
/* frazil version: what this is, and which optional parts it has. */
#include "command.h"
#include "complain.h"
#include "options.h"
#include "output.h"

#include <frazil.h>
#include <frazil/admin.h>

#ifdef FRAZIL_HAVE_OPAQUE
static const bool has_opaque = true;
#else
static const bool has_opaque = false;
#endif

/*
 * The part of this index, and the client library that it has, or why it is of no use; false: the index is too large.
 */
static bool part_at(size_t index, frazil_admin_part *ret, frazil_error *ret_why)
{
    if (frazil_admin_part_row(index, ret, sizeof *ret) != FRAZIL_OK)
        return false;
    if (ret->client == NULL && frazil_coordinator_load(NULL, ret->name, ret_why) == FRAZIL_OK)
        ret_why->message[0] = '\0'; /* it was installed since */
    return true;
}

static void print_text(void)
{
    frazil_admin_part part;
    frazil_error why;

    output_format("frazil %s\nopaque ids: %s\n", frazil_version(), has_opaque ? "built" : "not built");
    for (size_t i = 0; part_at(i, &part, &why); i++) {
        bool is_usable = part.client != NULL;
        output_format("%s: %s", part.name, is_usable ? "" : "not installed (");
        output_sentence(is_usable ? part.client : why.message); /* longer than output_format may write */
        output_string(is_usable ? "\n" : ")\n");
    }
}

static void print_json(void)
{
    frazil_admin_part part;
    frazil_error why;

    output_format("{\"version\":\"%s\",\"opaque\":%s,\"coordinators\":[", frazil_version(),
                  has_opaque ? "true" : "false");
    for (size_t i = 0; part_at(i, &part, &why); i++) {
        bool is_usable = part.client != NULL;
        output_string(i == 0 ? "" : ",");
        output_format("{\"part\":\"%s\",\"installed\":%s,\"%s\":", part.name, is_usable ? "true" : "false",
                      is_usable ? "client" : "why");
        output_json_sentence(is_usable ? part.client : why.message);
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
