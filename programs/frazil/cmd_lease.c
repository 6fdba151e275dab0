/* SPDX-License-Identifier: MIT */
/* frazil lease: the worker ids of a namespace. */
#include "command.h"
#include "complain.h"
#include "fields.h"
#include "lease_show.h"
#include "options.h"
#include "output.h"
#include "spec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frazil/admin.h"

struct lease_options {
    bool never_used;
    bool json;
    struct option_u64 worker;
    struct option_u64 interval;
    struct option_u64 looks;
};

/* The namespace exists; failing to read the server's settings is only a warning. */
static void warn_of_coordinator(const char *spec)
{
    frazil_admin_doctor *doctor;
    frazil_admin_finding finding;
    frazil_error err;

    if (frazil_admin_doctor_open_coordinator(&doctor, spec, NULL, &err) != FRAZIL_OK) {
        complain("warning: %s", err.message);
        return;
    }
    for (size_t i = 0; frazil_admin_doctor_row(doctor, i, &finding, sizeof finding) == FRAZIL_OK; i++) {
        const char *sentence = finding.text;
        if (finding.severity != FRAZIL_ADMIN_OK)
            complain("warning: %s", sentence);
    }
    frazil_admin_doctor_close(doctor);
}

static int lease_init(const char *spec, const struct lease_options *options)
{
    char text[FIELDS_TEXT_SIZE];
    uint32_t flags = options->never_used ? FRAZIL_ADMIN_NEVER_USED : 0;
    frazil_error err;
    int64_t opens;

    if (frazil_admin_leases_init(spec, NULL, flags, &opens, &err) != FRAZIL_OK)
        return complain_error(&err);
    if (opens > fields_now())
        output_format("created; the first id comes at %s, when no earlier namespace of this name can have one in "
                      "use\n",
                      fields_time(opens, text));
    else
        output_string("created\n");
    warn_of_coordinator(spec);
    return STATUS_OK;
}

static int lease_list(const char *spec, const struct lease_options *options)
{
    return lease_show_list(spec, options->json);
}

static int lease_release(const char *spec, const struct lease_options *options)
{
    frazil_error err;

    if (!options->worker.given) {
        complain("lease release needs --worker N, the worker id to free; lease list shows them");
        return STATUS_USAGE;
    }
    if (frazil_admin_leases_release(spec, NULL, (uint32_t)options->worker.value, &err) != FRAZIL_OK)
        return complain_error(&err);
    output_format("worker id %" PRIu64 " is free; ids that were granted of it stay taken\n", options->worker.value);
    return STATUS_OK;
}

static int lease_watch(const char *spec, const struct lease_options *options)
{
    uint64_t interval_ms = options->interval.given ? options->interval.value : 1000;

    return lease_show_changes(spec, interval_ms, options->looks.value, options->json);
}

static const struct {
    const char *name;
    int (*run)(const char *spec, const struct lease_options *options);
} actions[] = {{"init", lease_init}, {"list", lease_list}, {"release", lease_release}, {"watch", lease_watch}};

static int run_action(const struct arguments *args, const struct lease_options *options)
{
    const char *name = args->count > 0 ? args->values[0] : "";
    const struct arguments rest = {args->count - 1, args->values + 1};
    static const char *const names[] = {"init", "list", "release", "watch", NULL};

    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(actions[i].name, name) != 0)
            continue;
        char *spec = spec_join(&rest, "");
        if (spec == NULL) {
            complain("out of memory");
            return STATUS_FATAL;
        }
        int status = actions[i].run(spec, options);
        free(spec);
        return status;
    }
    if (name[0] == '\0' || strpbrk(name, ":=/@") != NULL) /* a spec, without an action before it */
        complain("lease needs one of init, list, release, watch");
    else
        complain("lease takes init, list, release or watch, not %s%s", quoted(name), meant(name, names));
    return STATUS_USAGE;
}

static int cmd_lease_run(int argc, char **argv)
{
    struct lease_options options = {.looks = {.value = 0}};
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"never-used", 0, OPTION_FLAG, &options.never_used, NULL, "init: nobody ever had ids from it; do not wait", 0},
        {"worker", 'w', OPTION_U64, &options.worker, "N", "release: the worker id to free", UINT32_MAX},
        {"interval", 'i', OPTION_U64, &options.interval, "MS", "watch: how often to look (default 1000)", 3600000},
        {"looks", 'n', OPTION_U64, &options.looks, "N", "watch: end after so many looks", 0},
        {"json", 'j', OPTION_FLAG, &options.json, NULL, "list, watch: one object a line", 0},
        {0},
    };
    static const struct option_help help = {
        "lease init|list|release|watch [OPTION]... SPEC-OR-URL...",
        "Creates a namespace of worker ids in a coordinator, shows who holds what until\n"
        "when, frees one by hand, or follows what changes.",
        "A namespace has the layout, the horizon (how far its grants reach ahead; by\n"
        "default 60s) and the max_skew (how far clocks may differ; default 250ms) of the\n"
        "spec that creates it.  One that is created again after a loss must say the last\n"
        "two, as the lost one had them.\n\n"
        "  frazil lease init --never-used layout=twitter worker=redis://10.0.0.5/orders\n"
        "  frazil lease init horizon=60s max_skew=250ms worker=redis://10.0.0.5/orders\n"
        "  frazil lease list redis://10.0.0.5/orders"};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    return run_action(&args, &options);
}

const struct command cmd_lease = {"lease", "worker ids of a fleet: create, list, free, watch", cmd_lease_run};
