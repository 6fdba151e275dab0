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

#define NEEDED "[OPTION]... SPEC-OR-URL..."

/* ---- init -------------------------------------------------------------------------- */

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

/* Whether the spec has this value for a key; "": none. */
static bool has(const frazil_options *options, const char *key, const char *wanted)
{
    char value[32];

    return frazil_options_get(options, key, value, sizeof value, NULL, NULL) == FRAZIL_OK && strcmp(value, wanted) == 0;
}

/* How many worker ids the layout of the spec has; 0: that cannot be told. */
static uint64_t workers_of(const frazil_options *options)
{
    char text[FRAZIL_FINGERPRINT_SIZE];
    frazil_layout layout;
    size_t len;

    if (frazil_options_get(options, "layout", text, sizeof text, &len, NULL) != FRAZIL_OK ||
        frazil_layout_parse(text, len, &layout, NULL) != FRAZIL_OK)
        return 0;
    return UINT64_C(1) << layout.worker_bits;
}

/* Warns of a count= alone: the user may mean the namespace, which that key does not limit. */
static void warn_of_count(const char *spec)
{
    frazil_options *options;
    char count[32];

    /* datacenter= means a count as well. */
    if ((strncmp(spec, "count=", strlen("count=")) != 0 && strstr(spec, " count=") == NULL) ||
        frazil_options_open(&options, NULL) != FRAZIL_OK)
        return;
    if (frazil_options_spec(options, spec, strlen(spec), NULL) == FRAZIL_OK && /* else it is a URL alone */
        has(options, "base", "0") && has(options, "workers", "") &&
        frazil_options_get(options, "count", count, sizeof count, NULL, NULL) == FRAZIL_OK && count[0] != '\0' &&
        strtoull(count, NULL, 10) < workers_of(options))
        complain("warning: count=%s limits a generator, and the namespace has all %" PRIu64 " worker ids of its "
                 "layout: to limit that, create another one with workers=%s",
                 count, workers_of(options), count);
    frazil_options_close(options);
}

static int create(const char *spec, const void *options)
{
    const bool *never_used = options;
    uint32_t flags = *never_used ? FRAZIL_ADMIN_NEVER_USED : 0;
    char text[FIELDS_TEXT_SIZE];
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
    warn_of_count(spec);
    warn_of_coordinator(spec);
    return STATUS_OK;
}

static int lease_init_run(int argc, char **argv)
{
    bool never_used = false;
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"never-used", 0, OPTION_FLAG, &never_used, NULL, "no id was ever issued from it: do not wait", 0},
        {0},
    };
    static const struct option_help help = {
        "lease init", NEEDED, "Creates a namespace of worker ids in a coordinator.",
        "A namespace has the layout, the horizon (how far its grants reach ahead; by\n"
        "default 60s), the max_skew (how far clocks may differ; default 250ms) and the\n"
        "workers (how many worker ids; default all of the layout) of the spec that\n"
        "creates it.  To create a lost namespace again, give horizon, max_skew and\n"
        "workers as it had them.\n\n"
        "  frazil lease init --never-used layout=twitter worker=redis://10.0.0.5/orders\n"
        "  frazil lease init horizon=60s max_skew=250ms worker=redis://10.0.0.5/orders",
        NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    return spec_run(&args, create, &never_used);
}

/* ---- list -------------------------------------------------------------------------- */

static int list(const char *spec, const void *options)
{
    const bool *json = options;

    return lease_show_list(spec, *json);
}

static int lease_list_run(int argc, char **argv)
{
    bool json = false;
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"json", 'j', OPTION_FLAG, &json, NULL, "one object per line", 0},
        {0},
    };
    static const struct option_help help = {"lease list", NEEDED,
                                            "Shows the holders of worker ids, and until when they hold them.",
                                            "  frazil lease list redis://10.0.0.5/orders", NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    return spec_run(&args, list, &json);
}

/* ---- release ------------------------------------------------------------------------ */

static int release(const char *spec, const void *options)
{
    const struct option_u64 *worker = options;
    frazil_error err;

    if (frazil_admin_leases_release(spec, NULL, (uint32_t)worker->value, &err) != FRAZIL_OK)
        return complain_error(&err);
    output_format("worker id %" PRIu64 " is free; the time granted so far stays used\n", worker->value);
    return STATUS_OK;
}

static int lease_release_run(int argc, char **argv)
{
    struct option_u64 worker = {false, 0};
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"worker", 'w', OPTION_U64, &worker, "N", "the worker id to free", UINT32_MAX},
        {0},
    };
    static const struct option_help help = {"lease release", "--worker N SPEC-OR-URL...",
                                            "Frees a worker id whose holder is gone for good, before its lease ends.",
                                            "  frazil lease release --worker 7 redis://10.0.0.5/orders", NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (!worker.given) {
        complain("lease release needs --worker N, the worker id to free; lease list shows them");
        return STATUS_USAGE;
    }
    return spec_run(&args, release, &worker);
}

/* ---- watch -------------------------------------------------------------------------- */

struct watching {
    struct option_u64 interval;
    struct option_u64 looks;
    bool json;
};

static int watch(const char *spec, const void *options)
{
    const struct watching *watching = options;

    return lease_show_changes(spec, watching->interval.value, watching->looks.value, watching->json);
}

static int lease_watch_run(int argc, char **argv)
{
    struct watching watching = {.interval = {true, 1000}};
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"interval", 'i', OPTION_U64, &watching.interval, "MS", "how often to look (default 1000)", 3600000},
        {"looks", 'n', OPTION_U64, &watching.looks, "N", "end after this many looks", 0},
        {"json", 'j', OPTION_FLAG, &watching.json, NULL, "one object per line", 0},
        {0},
    };
    static const struct option_help help = {"lease watch", NEEDED, "Prints each change of the holders of worker ids.",
                                            "  frazil lease watch redis://10.0.0.5/orders", NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    return spec_run(&args, watch, &watching);
}

/* ---- the command ---------------------------------------------------------------------- */

static const struct command lease_init = {"init", "create a namespace of worker ids", lease_init_run};
static const struct command lease_list = {"list", "show the holders of worker ids", lease_list_run};
static const struct command lease_release = {"release", "free a worker id by hand", lease_release_run};
static const struct command lease_watch = {"watch", "follow what changes", lease_watch_run};

static int cmd_lease_run(int argc, char **argv)
{
    static const struct command *const actions[] = {&lease_init, &lease_list, &lease_release, &lease_watch, NULL};
    static const struct option_row no_rows[] = {{0}};
    static const struct option_help help = {"lease", "ACTION [OPTION]... SPEC-OR-URL...",
                                            "The worker ids that a coordinator leases to a fleet.",
                                            "See also frazil help lease ACTION.", actions};
    struct arguments args;
    int status;

    if (options_run_action(actions, argc, argv, &status) || !options_read(&help, no_rows, argc, argv, &args, &status))
        return status;
    return options_miss_action(&help, &args);
}

const struct command cmd_lease = {"lease", "worker ids of a fleet: create, list, free, watch", cmd_lease_run};
