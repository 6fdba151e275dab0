/* SPDX-License-Identifier: MIT */
/* frazil doctor: what may go wrong here, before it does. */
#include "color.h"
#include "command.h"
#include "complain.h"
#include "options.h"
#include "output.h"
#include "spec.h"

#include <stdlib.h>
#include <string.h>

#include "operations/doctor.h"

struct report {
    bool json;
    bool quiet;
    enum fz_health worst;
};

static const char *const names[] = {[FZ_HEALTH_OK] = "OK", [FZ_HEALTH_WARN] = "WARN", [FZ_HEALTH_FAIL] = "FAIL"};
static const unsigned colors[] = {[FZ_HEALTH_OK] = 32, [FZ_HEALTH_WARN] = 33, [FZ_HEALTH_FAIL] = 31};

/* What is before the dot of an id. */
static size_t subject_len(const char *id)
{
    return strcspn(id, ".");
}

static void print_json(const struct fz_diagnosis *diagnosis)
{
    output_format("{\"level\":\"%s\",\"id\":", names[diagnosis->health]);
    output_json_string(diagnosis->id);
    output_format(",\"subject\":\"%.*s\",\"text\":", (int)subject_len(diagnosis->id), diagnosis->id);
    output_json_string(diagnosis->text);
    output_string("}\n");
}

static void print_text(const struct fz_diagnosis *diagnosis)
{
    bool color = color_in_use();

    if (color)
        output_color(colors[diagnosis->health]);
    output_format("[%s]", names[diagnosis->health]);
    if (color)
        output_color(0);
    output_format("%*s ", (int)(strlen("WARN") - strlen(names[diagnosis->health])), "");
    output_format("%.*s: ", (int)subject_len(diagnosis->id), diagnosis->id);
    output_foreign(diagnosis->text); /* can be longer than output_format writes */
    output_string("\n");
}

static void print(void *ctx, const struct fz_diagnosis *diagnosis)
{
    struct report *report = ctx;

    if (diagnosis->health > report->worst)
        report->worst = diagnosis->health;
    if (report->quiet && diagnosis->health == FZ_HEALTH_OK)
        return;
    (report->json ? print_json : print_text)(diagnosis);
}

static int examine(const struct arguments *args, uint32_t hosts, struct report *report)
{
    static const int statuses[] = {
        [FZ_HEALTH_OK] = STATUS_OK, [FZ_HEALTH_WARN] = 1, [FZ_HEALTH_FAIL] = 2}; /* promised, whatever others mean */
    frazil_error err;

    char *spec = spec_join(args, "");
    if (spec == NULL) {
        complain("out of memory");
        return STATUS_FATAL;
    }
    frazil_err code = fz_doctor(spec, hosts, print, report, &err);
    free(spec);
    return code == FRAZIL_OK ? statuses[report->worst] : complain_error(&err);
}

static int cmd_doctor_run(int argc, char **argv)
{
    struct report report = {.worst = FZ_HEALTH_OK};
    struct option_u64 hosts = {false, 0};
    const char *when = NULL;
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"hosts", 0, OPTION_U64, &hosts, "N", "how many hosts make ids like this", UINT32_MAX},
        {"quiet", 'q', OPTION_FLAG, &report.quiet, NULL, "warnings and failures only", 0},
        {"color", 0, OPTION_TEXT, &when, "WHEN", "auto, always or never", 0},
        {"json", 'j', OPTION_FLAG, &report.json, NULL, "one object a line", 0},
        {0},
    };
    static const struct option_help help = {
        "doctor [OPTION]... [SPEC-OR-URL]...",
        "Examines the clock, the directories, the worker ids, the coordinator, the\n"
        "layout, and what forks and copies may do; ends with what suits how many hosts.",
        "Without a spec it examines what frazil next does without one.  It makes the\n"
        "directories, as that would, and takes no worker id.\n"
        "Exit status: 0 healthy, 1 warnings, 2 unsafe (or a spec that is not understood).\n\n"
        "  frazil doctor --hosts 20 worker=redis://10.0.0.5/orders"};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (!color_choose(when))
        return STATUS_USAGE;
    if (hosts.given && hosts.value == 0) {
        complain("--hosts takes the number of hosts, at least 1, not 0");
        return STATUS_USAGE;
    }
    return examine(&args, (uint32_t)hosts.value, &report);
}

const struct command cmd_doctor = {"doctor", "what may go wrong here, and what is right for how many hosts",
                                   cmd_doctor_run};
