/* SPDX-License-Identifier: MIT */
/* frazil doctor: what may go wrong here, before it does. */
#include "color.h"
#include "command.h"
#include "complain.h"
#include "options.h"
#include "output.h"
#include "spec.h"

#include <string.h>

#include "frazil/admin.h"

struct report {
    struct option_u64 hosts;
    bool json;
    bool quiet;
};

static const unsigned colors[] = {[FRAZIL_ADMIN_OK] = 32, [FRAZIL_ADMIN_WARN] = 33, [FRAZIL_ADMIN_FAIL] = 31};

static void print_json(const frazil_admin_finding *finding)
{
    output_format("{\"level\":\"%s\",\"id\":", frazil_admin_severity_name(finding->severity));
    output_json_string(finding->id);
    output_format(",\"subject\":\"%.*s\",\"text\":", (int)finding->subject_len, finding->id);
    output_json_sentence(finding->text);
    output_string("}\n");
}

static void print_text(const frazil_admin_finding *finding)
{
    const char *name = frazil_admin_severity_name(finding->severity);
    bool color = color_in_use();

    if (color)
        output_color(colors[finding->severity]);
    output_format("[%s]", name);
    if (color)
        output_color(0);
    output_format("%*s ", (int)(strlen("WARN") - strlen(name)), "");
    output_format("%.*s: ", (int)finding->subject_len, finding->id);
    output_sentence(finding->text); /* can be longer than output_format writes */
    output_string("\n");
}

static void print_all(const frazil_admin_doctor *doctor, const struct report *report)
{
    frazil_admin_finding finding;

    for (size_t i = 0; frazil_admin_doctor_row(doctor, i, &finding, sizeof finding) == FRAZIL_OK; i++) {
        if (!report->quiet || finding.severity != FRAZIL_ADMIN_OK)
            (report->json ? print_json : print_text)(&finding);
    }
}

static int diagnose(const char *spec, const void *options)
{
    static const int statuses[] = {
        [FRAZIL_ADMIN_OK] = STATUS_OK, [FRAZIL_ADMIN_WARN] = 1, [FRAZIL_ADMIN_FAIL] = 2}; /* promised */
    const struct report *report = options;
    frazil_admin_doctor *doctor;
    frazil_admin_doctor_info info;
    frazil_error err;

    if (frazil_admin_doctor_open(&doctor, spec, NULL, (uint32_t)report->hosts.value, &err) != FRAZIL_OK)
        return complain_error(&err);
    print_all(doctor, report);
    frazil_admin_doctor_get_info(doctor, &info, sizeof info);
    frazil_admin_doctor_close(doctor);
    return statuses[info.worst];
}

static int cmd_doctor_run(int argc, char **argv)
{
    struct report report = {.quiet = false};
    const char *when = NULL;
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"hosts", 0, OPTION_U64, &report.hosts, "N", "how many hosts use such a spec", UINT32_MAX},
        {"quiet", 'q', OPTION_FLAG, &report.quiet, NULL, "warnings and failures only", 0},
        {"color", 0, OPTION_TEXT, &when, "WHEN", "auto, always or never", 0},
        {"json", 'j', OPTION_FLAG, &report.json, NULL, "one object per line", 0},
        {0},
    };
    static const struct option_help help = {
        "doctor", "[OPTION]... [SPEC-OR-URL]...",
        "Examines the clock, the directories, the worker ids, the coordinator, the\n"
        "layout, forks and copies; then says which worker source suits how many hosts.",
        "Without a spec it examines the defaults of frazil next.  It creates directories\n"
        "as that would, but takes no worker id.\n"
        "Exit status: 0 healthy, 1 warnings, 2 unsafe (or a spec that is not understood).\n\n"
        "  frazil doctor --hosts 20 worker=redis://10.0.0.5/orders",
        NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (!color_choose(when))
        return STATUS_USAGE;
    if (report.hosts.given && report.hosts.value == 0) {
        complain("--hosts takes the number of hosts, at least 1, not 0");
        return STATUS_USAGE;
    }
    return spec_run(&args, diagnose, &report);
}

const struct command cmd_doctor = {"doctor", "check this host, and recommend a source of worker ids", cmd_doctor_run};
