/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "faults/scenario.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coordinators/file/record_file.h"
#include "core/layout_internal.h"
#include "faults/calls.h"
#include "faults/disk_log.h"
#include "lease/grant_record.h"
#include "lease/record.h"
#include "lib/asserts.h"
#include "lib/ports.h"
#include "lib/scratch.h"

enum { IDS_MAX = 64, TEXT_SIZE = 1024, REPORT_SIZE = 1024 };

frazil *scenario_gen;

static const struct scenario *scenario;
static const char *folder;
static bool has_fault; /* at present */

/* Shared by a child process and its parent. */
static struct report {
    struct calls calls; /* the child's */
    uint64_t passed_ns; /* by the child's clock */
    uint64_t ids[IDS_MAX];
    unsigned id_count;
    unsigned failures; /* that came out, in this run */
    bool failed;
    char text[REPORT_SIZE];
} * report;
static bool is_child;

/* ---- failing --------------------------------------------------------------------- */

void scenario_fail(const char *format, ...)
{
    char text[REPORT_SIZE];
    char which[128] = "no call";
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    calls_disarm();
    if (is_child) {
        report->failed = true;
        memcpy(report->text, text, sizeof text);
        _exit(1);
    }
    if (calls.fails_at != 0)
        (void)snprintf(which, sizeof which, "call %u (%s), errno %d, %s", calls.fails_at,
                       calls.strikes == 0 ? "in vain" : call_name(calls.struck), calls.error,
                       calls.for_good ? "for good" : "once");
    fail_msg("%s, %s: %s", scenario->name, which, text);
    abort();
}

/* ---- the oracle ---------------------------------------------------------------------- */

/* Memory that was refused is said to be that; of a lock that somebody has, who has it; else the call's errno. */
static bool belongs(frazil_err err, const frazil_error *why)
{
    char number[32];

    /* An extension failed: what it stands for is in the sentence. */
    if (err == FRAZIL_EAGAIN || err == FRAZIL_EUNREACHABLE || err == FRAZIL_ELEASE)
        return true;
    if (err == FRAZIL_ENOMEM)
        return calls.error == ENOMEM || calls.strikes_on[CALL_mmap] > 0;
    if (err == FRAZIL_EPOOL || err == FRAZIL_EWORKER)
        return calls.strikes_on[CALL_flock] > 0 && calls.error == EAGAIN;
    (void)snprintf(number, sizeof number, "(errno %d)", calls.error);
    return err == FRAZIL_ESYS && strstr(why->message, number) != NULL;
}

bool scenario_check(frazil_err err, const frazil_error *why)
{
    if (err == FRAZIL_OK)
        return true;
    if (!has_fault || calls.strikes == 0)
        scenario_fail("without a fault: %d, %s", err, why->message);
    if (calls.error == EINTR)
        scenario_fail("a signal came in, and this came out: %s", why->message);
    if (why->code != err || why->message[0] == '\0' || !belongs(err, why))
        scenario_fail("error %d, %d with errno %d: '%s'", err, why->code, why->sys_errno, why->message);
    report->failures++;
    return false;
}

static uint64_t last_granted_in_file(uint32_t worker)
{
    unsigned char bytes[DISK_FILE_MAX];
    struct fz_grant_record record;
    uint64_t until = 0;
    uint64_t version;
    char path[TEXT_SIZE];

    (void)snprintf(path, sizeof path, "%s/disk/state/orders/worker-%u.grant", folder, worker);
    size_t len = disk_log_certain(path, bytes);
    for (size_t at = 0; at < len; at += DISK_BLOCK) {
        if (fz_grant_record_decode(bytes + at, &record, &version) == FZ_GRANT_SLOT_VALID && record.worker == worker &&
            record.until > until)
            until = record.until;
    }
    return until;
}

static uint64_t last_granted_in_register(uint32_t worker)
{
    unsigned char bytes[DISK_FILE_MAX];
    char path[TEXT_SIZE];
    struct fz_record stored = {.version = 0};
    struct fz_worker_record record;

    (void)snprintf(path, sizeof path, "%s/disk/leases/worker-%u", folder, worker);
    size_t len = disk_log_certain(path, bytes);
    if (fz_record_file_parse((const char *)bytes, len, &stored) == FZ_RECORD_DAMAGED)
        return 0;
    return fz_worker_record_parse(stored.data, stored.len, &record, NULL) == FRAZIL_OK ? record.until : 0;
}

/* An id is new, and its tick within a grant that no loss of power can take back. */
static void check_id(uint64_t id)
{
    frazil_fields fields;

    for (unsigned i = 0; i < report->id_count; i++) {
        if (report->ids[i] == id)
            scenario_fail("an id came twice");
    }
    assert_true(report->id_count < IDS_MAX);
    report->ids[report->id_count++] = id;
    const frazil_layout *layout = layout_of(scenario_gen);
    if (layout->kind == FRAZIL_LAYOUT_SNO || strstr(scenario->spec, "@/disk") == NULL || !has_fault)
        return;
    assert_int_equal(frazil_id_decompose(layout, id, &fields, NULL), FRAZIL_OK);
    uint64_t tick = (uint64_t)(fields.unix_ms - layout->epoch_unix_ms) / layout->tick_ms;
    bool leased = strstr(scenario->spec, "file://") != NULL;
    uint64_t until = leased ? last_granted_in_register(fields.worker) : last_granted_in_file(fields.worker);
    if (tick > until)
        scenario_fail("an id has tick %llu, but no more than %llu is certain to be granted", (unsigned long long)tick,
                      (unsigned long long)until);
}

/* ---- the parts of scenarios --------------------------------------------------------- */

const char *scenario_text(const char *text)
{
    static char buffer[2][TEXT_SIZE];
    static unsigned turn;
    char *buf = buffer[turn++ % 2];
    size_t len = 0;

    for (; *text != '\0'; text++) {
        size_t room = TEXT_SIZE - len;
        int put = *text == '@' ? snprintf(buf + len, room, "%s", folder) : snprintf(buf + len, room, "%c", *text);
        assert_true(put >= 0 && (size_t)put < room);
        len += (size_t)put;
    }
    return buf;
}

bool scenario_open(const char *spec)
{
    static frazil *const untouched = (frazil *)(uintptr_t)0x5a5a;
    frazil *gen = untouched;
    frazil_error why = {.message = ""};
    const char *text = scenario_text(spec);

    frazil_err err = frazil_open(&gen, text, &why);
    if (err != FRAZIL_OK && gen != untouched)
        scenario_fail("a failure has set what it should return");
    if (err == FRAZIL_OK)
        scenario_gen = gen;
    return scenario_check(err, &why);
}

bool scenario_take(void)
{
    static const uint64_t untouched = UINT64_C(0x5a5a5a5a5a5a5a5a);
    frazil_error why = {.message = ""};
    uint64_t id = untouched;

    if (scenario_gen == NULL)
        return false;
    frazil_err err = frazil_take(scenario_gen, &id, 1, FRAZIL_WAIT_DEFAULT, &why);
    if (err != FRAZIL_OK && id != untouched)
        scenario_fail("a failure has set the id");
    if (err == FRAZIL_OK)
        check_id(id);
    return scenario_check(err, &why);
}

bool scenario_keep(void)
{
    frazil_error why = {.message = ""};
    uint64_t next_ns = UINT64_MAX - 2;

    if (scenario_gen == NULL)
        return false;
    frazil_err err = frazil_keep(scenario_gen, FRAZIL_WAIT_FOREVER, &next_ns, &why);
    if (next_ns == UINT64_MAX - 2)
        scenario_fail("it is not said when to come again");
    return scenario_check(err, &why);
}

void scenario_close(void)
{
    frazil_close(scenario_gen);
    scenario_gen = NULL;
}

void scenario_in_child(void (*run)(void))
{
    const struct calls wanted = calls;
    int status;

    calls_disarm();
    report->failed = false;
    pid_t pid = fork();
    if (pid == 0) {
        is_child = true;
        calls_arm(wanted.fails_at, wanted.for_good, wanted.error);
        run();
        calls_disarm();
        report->calls = calls;
        report->passed_ns = calls_passed();
        _exit(0);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (report->failed)
        scenario_fail("in the child: %s", report->text);
    if (status != 0)
        scenario_fail("the child ended with status %d", status);
    calls = report->calls;
    calls_pass(report->passed_ns - calls_passed());
}

/* ---- running it ----------------------------------------------------------------------------- */

/* The state that must not change. */
struct before {
    unsigned fds;
    long blocks;
    long maps;
    sigset_t mask;
};

static struct before look(void)
{
    struct before before = {.fds = scratch_open_fds(), .blocks = calls_blocks(), .maps = calls_maps()};

    pthread_sigmask(SIG_SETMASK, NULL, &before.mask);
    return before;
}

static void assert_as_before(const struct before *before)
{
    struct before after = look();

    if (after.fds != before->fds)
        scenario_fail("%d descriptors are left open", (int)after.fds - (int)before->fds);
    if (after.blocks != before->blocks)
        scenario_fail("%ld blocks of memory are left", after.blocks - before->blocks);
    if (after.maps != before->maps)
        scenario_fail("%ld mappings are left", after.maps - before->maps);
    for (int signal = 1; signal < 32; signal++) {
        if (sigismember(&after.mask, signal) != sigismember(&before->mask, signal))
            scenario_fail("signal %d is blocked", signal);
    }
}

static void run_all(bool with_fault, unsigned fails_at, bool for_good, int error)
{
    if (scenario->prepare != NULL)
        scenario->prepare();
    has_fault = with_fault;
    calls_arm(fails_at, for_good, error);
    scenario->run();
    calls_disarm();
    has_fault = false;
    disk_log_stop();
    if (scenario->finish != NULL)
        scenario->finish();
    scenario_close();
}

/* One run in a folder of its own, and a second try.  The number of calls. */
static unsigned run_once(unsigned fails_at, bool for_good, int error)
{
    folder = scratch_make();
    assert_int_equal(mkdir(scratch_path(folder, "disk"), S_IRWXU), 0);
    struct before before = look();
    disk_log_begin(scratch_path(folder, "disk"));
    report->id_count = report->failures = 0;
    run_all(true, fails_at, for_good, error);
    unsigned made = calls.made;
    assert_as_before(&before);

    /* Ticks that the first try reserved and could not give back have to pass. */
    calls_pass(2 * SCENARIO_GRANT_S * SCENARIO_S);
    if (scenario_open(scenario->spec)) {
        scenario_take();
        scenario_close();
    }
    assert_as_before(&before);
    scratch_remove(folder);
    return made;
}

/* The calls of the run without a fault. */
static enum call which[CALLS_MAX];
static unsigned which_count;

void scenario_try(const struct scenario *tried, unsigned calls_at_least)
{
    unsigned runs = 0;
    unsigned came_out = 0;

    scenario = tried;
    report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(report != MAP_FAILED);
    unsigned made = run_once(0, false, 0);
    assert_true(made < CALLS_MAX);
    which_count = made;
    memcpy(which, calls.which, sizeof which);
    for (unsigned at = 1; at <= made; at++) {
        for (const int *error = call_errors(which[at - 1]); *error != 0; error++) {
            run_once(at, false, *error);
            came_out += report->failures > 0;
            runs++;
            if (*error == EINTR)
                continue;
            run_once(at, true, *error);
            came_out += report->failures > 0;
            runs++;
        }
    }
    munmap(report, sizeof *report);
    print_message("%-40s %3u calls, %4u faults, of which %4u came out\n", tried->name, made, runs, came_out);
    assert_true(made >= calls_at_least);
}

unsigned scenario_looks(void)
{
    unsigned looks = 0;

    for (unsigned i = 0; i < which_count; i++)
        looks += which[i] == CALL_fstat || which[i] == CALL_stat || which[i] == CALL_lstat;
    return looks;
}
