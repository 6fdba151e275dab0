/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: every finding that frazil doctor can have is brought about
 * by facts, with its level, with a text that says what was found and what would be
 * right.
 */

#include "admin/doctor_judge.h"
#include "config/worker_sources.h"
#include "frazil.h"
#include "lib/test.h"

/* ---- the findings -------------------------------------------------------------- */

/* All tests together. */
static bool brought_about[FZ_FINDINGS_TOTAL];

/* One judgement. */
static char found[8192];

/* The coordinators' own findings have ids that are made when they come. */
static bool is_of(int finding, const struct fz_diagnosis *diagnosis)
{
    const char *id = fz_finding_id((enum fz_finding)finding);

    if (fz_finding_health((enum fz_finding)finding) != diagnosis->health)
        return false;
    return strcmp(id, diagnosis->id) == 0 ||
           (strcmp(id, "coordinator.TOPIC") == 0 && strncmp(diagnosis->id, "coordinator.", 12) == 0);
}

static void note(void *ctx, const struct fz_diagnosis *diagnosis)
{
    static const char *const names[] = {"OK", "WARN", "FAIL"};
    size_t len = strlen(found);
    int exact = -1;

    (void)ctx;
    for (int i = 0; i < FZ_FINDINGS_TOTAL; i++) {
        if (is_of(i, diagnosis) && (exact < 0 || strcmp(fz_finding_id((enum fz_finding)i), diagnosis->id) == 0))
            exact = i;
    }
    assert_true(exact >= 0);
    brought_about[exact] = true;
    assert_true(strlen(diagnosis->text) > 5);
    if (diagnosis->health != FZ_HEALTH_OK)
        assert_non_null(strpbrk(diagnosis->text, ":;")); /* the cure comes behind it */
    snprintf(found + len, sizeof found - len, "%s %s %s\n", names[diagnosis->health], diagnosis->id, diagnosis->text);
}

static struct fz_findings findings = {.visit = note, .ctx = NULL};

static void forget(void)
{
    found[0] = '\0';
}

/* A line that begins so is among what was found; NULL ends. */
static void expect(const char *const *beginnings)
{
    for (; *beginnings != NULL; beginnings++) {
        const char *at = strstr(found, *beginnings);
        if (at == NULL || (at != found && at[-1] != '\n'))
            fail_msg("not found: %s\namong:\n%s", *beginnings, found);
    }
}

#define EXPECT(...) expect((const char *const[]){__VA_ARGS__, NULL})

/* ---- clock ------------------------------------------------------------------------- */

static const struct fz_clock_facts good_clock = {.now_unix_ms = 1000,
                                                 .kernel = {.synchronised = true, .max_error_us = 900},
                                                 .max_skew_ms = 250,
                                                 .counter_constant = true,
                                                 .counter_usable = true,
                                                 .source = "tsc",
                                                 .compared = true};

static void judge_clock(struct fz_clock_facts facts)
{
    forget();
    fz_judge_clock(&facts, &findings);
}

TEST("A clock that is kept right, read cheaply, and was not stepped")
{
    judge_clock(good_clock);
    EXPECT("OK clock.synchronised synchronised, with an error of at most 900 us", "OK clock.counter",
           "OK clock.steady not stepped");
    assert_null(strstr(found, "WARN"));
    assert_null(strstr(found, "FAIL"));
}

TEST("Each fact that is not good is a finding, and where the limit lies")
{
    struct fz_clock_facts facts = good_clock;

    facts.kernel.synchronised = false;
    judge_clock(facts);
    EXPECT("WARN clock.unsynchronised");
    facts = good_clock;
    facts.kernel.max_error_us = 250999;
    judge_clock(facts);
    EXPECT("OK clock.synchronised");
    facts.kernel.max_error_us = 251000;
    judge_clock(facts);
    EXPECT("WARN clock.inaccurate the clock is synchronised, but may be wrong by 251 ms");
    assert_null(strstr(found, "max_skew")); /* which has no effect there */
    facts.has_coordinator = true;
    judge_clock(facts);
    assert_non_null(strstr(found, "or raise max_skew"));
    facts.kernel_errno = 1;
    judge_clock(facts);
    EXPECT("WARN clock.unknown");
    facts = good_clock;
    facts.counter_usable = false;
    judge_clock(facts);
    EXPECT("WARN clock.no-counter the kernel uses tsc for the time");
    facts.counter_constant = false;
    judge_clock(facts);
    EXPECT("WARN clock.no-counter this processor");
}

TEST("Steps in both directions, from the limit on; none can be seen at the first time")
{
    struct fz_clock_facts facts = good_clock;

    facts.step_us = FZ_CLOCK_STEP_MIN_US - 1;
    judge_clock(facts);
    EXPECT("OK clock.steady");
    facts.step_us = FZ_CLOCK_STEP_MIN_US;
    judge_clock(facts);
    EXPECT("WARN clock.stepped the clock was stepped ahead by 20 ms");
    facts.step_us = -3600000000;
    judge_clock(facts);
    EXPECT("WARN clock.stepped the clock was stepped back by 1 h");
    facts.compared = false;
    judge_clock(facts);
    EXPECT("OK clock.steady a step will be noticed");
}

TEST("A clock that no id can be stamped with, and one for tests")
{
    struct fz_clock_facts facts = good_clock;

    facts.epoch_unix_ms = 1001;
    judge_clock(facts);
    EXPECT("FAIL clock.before-epoch the clock shows 1970-01-01T00:00:01.000Z");
    facts.frozen = true;
    judge_clock(facts);
    EXPECT("WARN clock.frozen");
    assert_null(strstr(found, "OK"));
}

/* ---- directories ------------------------------------------------------------------- */

static void judge_dir(const struct fz_dir_facts *facts, bool is_state)
{
    forget();
    fz_judge_dir(facts, is_state, &findings);
}

static struct fz_dir_facts dir_on(enum fz_disk_kind kind)
{
    return (struct fz_dir_facts){
        .path = "/dir", .disk = {.kind = kind, .free_bytes = FZ_DISK_FREE_MIN}, .flock_works = true};
}

TEST("The word belongs into memory, the grant onto a disk of this host")
{
    static const struct {
        enum fz_disk_kind kind;
        const char *run;
        const char *state;
    } rows[] = {{FZ_DISK_MEMORY, "OK run.directory '/dir', in memory, 1024 KiB", "FAIL state.in-memory"},
                {FZ_DISK_LASTING, "WARN run.on-disk", "OK state.directory '/dir', on a disk, 1024 KiB"},
                {FZ_DISK_LAYER, "WARN run.on-disk", "WARN state.layer"},
                {FZ_DISK_REMOTE, "FAIL run.remote", "WARN state.remote"},
                {FZ_DISK_FUSE, "WARN run.on-disk the run directory '/dir' is on FUSE", "OK state.directory"},
                {FZ_DISK_UNKNOWN, "OK run.directory '/dir', 1024 KiB free; cannot determine whether it is in memory",
                 "OK state.directory '/dir', 1024 KiB free; cannot determine whether it is on a permanent local disk"}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fz_dir_facts facts = dir_on(rows[i].kind);
        judge_dir(&facts, false);
        EXPECT(rows[i].run);
        judge_dir(&facts, true);
        EXPECT(rows[i].state);
        assert_int_equal(strchr(found, '\n') - found + 1, strlen(found)); /* and nothing else */
    }
}

TEST("No room, open to others, locks that do not hold, not to be tried out, not to be used")
{
    struct fz_dir_facts facts = dir_on(FZ_DISK_LASTING);

    facts.disk.free_bytes = FZ_DISK_FREE_MIN - 1;
    facts.disk.open_to_others = true;
    facts.flock_works = false;
    judge_dir(&facts, false);
    EXPECT("FAIL run.full only 1023 KiB", "WARN run.open", "FAIL run.no-locks");
    judge_dir(&facts, true);
    EXPECT("FAIL state.full", "WARN state.open", "FAIL state.no-locks");
    facts.disk.free_bytes = FZ_DISK_FREE_MIN;
    facts.disk.has_no_files = true;
    judge_dir(&facts, false);
    EXPECT("FAIL run.full no inode is free");
    judge_dir(&facts, true);
    EXPECT("FAIL state.full no inode is free");
    facts.flock_errno = 5;
    judge_dir(&facts, true);
    EXPECT("FAIL state.unusable '/dir' cannot be tested (errno 5)");
    facts.look_errno = 6;
    judge_dir(&facts, false);
    EXPECT("FAIL run.unusable '/dir' cannot be tested (errno 6)");
    (void)fz_fail(&facts.unusable, FRAZIL_ESYS, "no: make it writable");
    judge_dir(&facts, false);
    EXPECT("FAIL run.unusable no: make it writable");
}

TEST("Where nothing is kept on this host, it is said why, and whether that is well")
{
    forget();
    fz_judge_keeping(FZ_KEEPS_FILES, &findings);
    assert_string_equal(found, "");
    fz_judge_keeping(FZ_KEEPS_ELSEWHERE, &findings);
    fz_judge_keeping(FZ_KEEPS_NOTHING, &findings);
    fz_judge_damage(7, &(frazil_error){.code = FRAZIL_ESTATE, .message = "the file is damaged: repair it"}, &findings);
    fz_judge_ahead(9, 3605000, 5000, &findings);
    fz_judge_damage(8, &(frazil_error){.code = FRAZIL_EAGAIN, .message = "somebody stays: end it"}, &findings);
    EXPECT("OK state.elsewhere", "WARN state.none",
           "FAIL state.damaged worker 7 cannot start: the file is damaged: repair it",
           "FAIL state.ahead worker 9 can issue no id before 1970-01-01T01:00:05.000Z, in 3600 s",
           "FAIL state.held-up worker 8 cannot start: somebody stays: end it");
}

/* ---- worker -------------------------------------------------------------------------- */

static void judge_worker(const char *given, struct fz_worker_facts facts, const char *beginning)
{
    forget();
    facts.choice.source = fz_worker_source_of(given, &(const char *){NULL});
    facts.workers = facts.workers == 0 ? 1024 : facts.workers;
    fz_judge_worker(&facts, &findings);
    EXPECT(beginning);
}

TEST("Each source, for one host and for several")
{
    const struct fz_worker_choice lock = {.count = 1024}, default_lock = {.count = 1024, .was_default = true};
    const struct fz_worker_choice seven = {.first = 7}, hash = {.first = 7, .expect = 5, .collision_ppm = 9999};

    judge_worker("file-lock", (struct fz_worker_facts){.choice = lock, .hosts = 1}, "OK worker.file-lock ");
    judge_worker("file-lock", (struct fz_worker_facts){.choice = default_lock},
                 "WARN worker.default no worker= is named");
    judge_worker("file-lock", (struct fz_worker_facts){.choice = default_lock, .hosts = 2},
                 "FAIL worker.file-lock-many with file-lock each of the 2 hosts begins at worker id 0");
    judge_worker("fixed:7", (struct fz_worker_facts){.choice = seven}, "OK worker.given worker id 7");
    judge_worker("fixed:7", (struct fz_worker_facts){.choice = seven, .sharers = FZ_SHARED_BY_NOBODY},
                 "OK worker.given worker id 7; only one generator may have it");
    judge_worker("fixed:7", (struct fz_worker_facts){.choice = seven, .sharers = FZ_SHARED_BY_FOLDER},
                 "OK worker.given worker id 7; all processes that count in the folder");
    judge_worker("ip-hash", (struct fz_worker_facts){.choice = hash, .hosts = 3000, .sharers = FZ_SHARED_BY_HOSTS},
                 "OK worker.given worker id 7; all that take its slots from the state= of this spec, on any number");
    assert_null(strstr(found, "chance"));
    assert_null(strstr(found, "too-few"));
    judge_worker("env:N", (struct fz_worker_facts){.choice = seven, .hosts = 3},
                 "WARN worker.given-many worker id 7 is safe if no other of the 3 hosts");
    judge_worker("ordinal", (struct fz_worker_facts){.choice = seven, .hosts = 3}, "OK worker.ordinal");
    judge_worker("ip-last-octet", (struct fz_worker_facts){.choice = seven}, "WARN worker.last-octet");
    judge_worker(
        "ip-hash", (struct fz_worker_facts){.choice = hash},
        "WARN worker.hash worker id 7 by hash: the probability that two of 5 hosts share a number, and make the "
        "same ids, is 0.9999 %");
    judge_worker(
        "hostname-hash", (struct fz_worker_facts){.choice = hash, .hosts = 20},
        "FAIL worker.hash-likely worker id 7 by hash: the probability that two of 20 hosts share a number, and make "
        "the same ids, is 17.0338 %");
    judge_worker("ip-hash", (struct fz_worker_facts){.choice = hash, .hosts = 100000, .workers = 1 << 20},
                 "FAIL worker.hash-likely");
    judge_worker("redis://h/n", (struct fz_worker_facts){.hosts = 1}, "OK worker.leased");
    judge_worker("auto", (struct fz_worker_facts){.hosts = 1}, "WARN worker.in-process");
    forget();
    fz_judge_idle_key(&findings, "ip", "worker=ip-hash");
    fz_judge_slip(&findings, "FRAZIL_WROKER", ": did you mean FRAZIL_WORKER?");
    EXPECT(
        "OK worker.idle-key ip is given",
        "FAIL environment.slip FRAZIL_WROKER is set in the environment, but is not a setting, so nothing opens: did");
}

static void judge_name(const char *name, const char *beginning)
{
    struct fz_worker_facts facts = {.choice = {.collision_ppm = 9}};
    memcpy(facts.host_name, name, strlen(name) + 1);
    judge_worker("hostname-hash", facts, beginning);
}

TEST("A name that nobody chose is another one after a restart, and so is its hash")
{
    static const char *const made_up[] = {"7f3a2b1c4d5e", "000000000000", "a-7d4b9c6f8-x2v7k", "a-b-7d4b9c6f84-x2v7k"};
    static const char *const kept[] = {"7f3a2b1c4d5",
                                       "7f3a2b1c4d5ef",
                                       "7f3a2b1c4d5g",
                                       "7F3A2B1C4D5E",
                                       "7d4b9c6f8-x2v7k",
                                       "a-7d4b9c6f8-x2v7",
                                       "a-7d4b9c6-x2v7k",
                                       "-x2v7k",
                                       "",
                                       "db-1"};

    for (size_t i = 0; i < 4; i++)
        judge_name(made_up[i], "WARN worker.random-name the host's name");
    for (size_t i = 0; i < 10; i++) {
        judge_name(kept[i], "WARN worker.hash ");
        assert_null(strstr(found, "random-name"));
    }
}

TEST("A source that gives no number, and a fleet that is larger than there are numbers")
{
    struct fz_worker_facts facts = {.hosts = 1025};

    judge_worker("fixed:7", facts, "FAIL worker.too-few 1025 hosts need a worker id each, and there are 1024");
    facts.hosts = 1024;
    judge_worker("fixed:7", facts, "WARN worker.given-many");
    assert_null(strstr(found, "too-few"));
    (void)fz_fail(&facts.unusable, FRAZIL_EWORKER, "no number: set one");
    judge_worker("fixed:7", facts, "FAIL worker.unusable no number: set one");
}

TEST("Somebody else on the host who has the worker id, and a host where that cannot be told")
{
    const struct fz_users_facts taken = {
        .taken = {.code = FRAZIL_EWORKER, .message = "in use by uid 1001: take another"}};
    const struct fz_users_facts none = {.unusable = {.code = FRAZIL_ESYS, .message = "no folder: name one"}};
    const struct fz_users_facts fine = {false};

    forget();
    fz_judge_users(&fine, &findings);
    assert_string_equal(found, "");
    fz_judge_users(&taken, &findings);
    fz_judge_users(&none, &findings);
    EXPECT("FAIL worker.other-user in use by uid 1001: take another", "FAIL host.unusable no folder: name one");
}

TEST("Programs of this host with numbers of their own, which a coordinator grants as well or counts for")
{
    struct fz_rivals_facts facts = {.first = 2, .last = 7, .who = "uid 1001 (alice)"};

    forget();
    fz_judge_rivals(&facts, &findings);
    assert_string_equal(found, "");
    facts.count = 2; /* of which each has a part of the sequence */
    facts.last = facts.first;
    fz_judge_rivals(&facts, &findings);
    facts.last = 7;
    fz_judge_rivals(&facts, &findings);
    facts.counts = true;
    fz_judge_rivals(&facts, &findings);
    EXPECT(
        "WARN worker.other-source worker id 2, which this coordinator can grant, is in use on this host from another "
        "source, by uid 1001 (alice), so both can make the same ids: take all worker ids from one source",
        "WARN worker.other-source worker ids from 2 to 7, which this coordinator can grant, are in use on this host "
        "from "
        "another source, 2 by uid 1001 (alice), so both can make the same ids: take",
        "WARN worker.other-source worker id 2 is in use on this host without the state= of this spec, by uid 1001 "
        "(alice), so both can make the same ids: give all the same state=");
}

TEST(
    "A host directory without room or without inodes, where no claim can be made, or with locks that may not reach all")
{
    struct fz_users_facts facts = {
        .knows_disk = true, .disk = {.free_bytes = 4095, .has_no_files = true}, .folder = "/dev/shm"};

    forget();
    fz_judge_users(&facts, &findings);
    facts.disk.free_bytes = 4096;
    fz_judge_users(&facts, &findings);
    EXPECT("FAIL host.full no space is left in the host directory '/dev/shm'",
           "FAIL host.full no inode is free in the host directory '/dev/shm'");
    forget();
    facts.disk.has_no_files = false;
    for (facts.disk.kind = FZ_DISK_LASTING; facts.disk.kind <= FZ_DISK_UNKNOWN; facts.disk.kind++)
        fz_judge_users(&facts, &findings);
    assert_memory_equal(found, "FAIL host.remote", strlen("FAIL host.remote"));
    const char *second = strstr(found + 1, "FAIL host.remote the host directory '/dev/shm'");
    assert_non_null(second); /* of a network, and of FUSE */
    assert_null(strstr(second + 1, "FAIL"));
}

TEST("A line for each size of fleet, or the one that fits, and the chance of hashes")
{
    static const struct {
        uint32_t hosts;
        const char *line;
        const char *absent;
    } rows[] = {
        {1, "OK advice.hosts 1 host: worker=file-lock", "coordinator"},
        {2, "OK advice.hosts 2 to 16 hosts: ", "more than"},
        {16, "OK advice.hosts 2 to 16 hosts: ", "more than"},
        {17, "OK advice.hosts more than 16 hosts", "fixed"},
        {20,
         "OK advice.hosts 20 hosts by hash of 1024 worker ids: the probability that two share a number is 17.0338 %",
         "2 to 16"}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        forget();
        fz_advise(rows[i].hosts, 1024, &findings);
        EXPECT(rows[i].line);
        assert_null(strstr(found, rows[i].absent));
    }
    forget();
    fz_advise(0, 1024, &findings);
    EXPECT("OK advice.hosts 1 host: ", "OK advice.hosts 2 to 16 hosts: ", "OK advice.hosts more than 16 hosts",
           "OK advice.hosts 50 hosts by hash of 1024 worker ids: the probability that two share a number is 70.3600 %");
}

/* ---- coordinator --------------------------------------------------------------------- */

static void judge_said(enum fz_finding_level level, const char *sentence, const char *beginning)
{
    forget();
    fz_judge_coordinator(level, sentence, 250, &findings);
    EXPECT(beginning);
}

TEST("A coordinator's own finding keeps its level, under the topic that it begins with")
{
    judge_said(FZ_FINDING_OK, "role: master", "OK coordinator.role role: master");
    judge_said(FZ_FINDING_WARN, "round trip: long", "WARN coordinator.round-trip round trip: long");
    judge_said(FZ_FINDING_FAIL, "eviction: on: set noeviction", "FAIL coordinator.eviction eviction: on");
    judge_said(FZ_FINDING_WARN, "CONFIG GET is not allowed: allow it", "WARN coordinator.other CONFIG GET");
    judge_said(FZ_FINDING_WARN, "a sentence that is much longer than a topic: so", "WARN coordinator.other a sentence");
    judge_said(FZ_FINDING_FAIL, "the coordinator does not answer: redis://h/n: refused", "FAIL coordinator.silent ");
    judge_said(FZ_FINDING_FAIL, "the coordinator refuses: redis://h/n: NOAUTH", "FAIL coordinator.refused ");
    judge_said(FZ_FINDING_FAIL, "the coordinator cannot serve for a while: redis://h/n: LOADING",
               "FAIL coordinator.refused the coordinator cannot serve for a while: ");
    judge_said(FZ_FINDING_FAIL, "the coordinator cannot serve until that is fixed: redis://h/n: OOM",
               "FAIL coordinator.refused the coordinator cannot serve until that is fixed: ");
    judge_said(FZ_FINDING_FAIL, "there is no namespace orders",
               "FAIL coordinator.no-namespace there is no namespace "
               "orders: create it");
}

TEST("Its clock, against what is allowed; what is no number is not believed to be one")
{
    judge_said(FZ_FINDING_OK, FZ_FINDING_SKEW "250 ms", "OK coordinator.clock its clock is 250 ms ahead of ours");
    judge_said(FZ_FINDING_OK, FZ_FINDING_SKEW "-250 ms", "OK coordinator.clock its clock is 250 ms behind ours");
    judge_said(FZ_FINDING_OK, FZ_FINDING_SKEW "251 ms", "FAIL coordinator.clock-differs");
    judge_said(FZ_FINDING_OK, FZ_FINDING_SKEW "-251 ms", "FAIL coordinator.clock-differs");
    judge_said(FZ_FINDING_OK, FZ_FINDING_SKEW "12 s", "OK coordinator.its-clock-minus-ours");
    judge_said(FZ_FINDING_OK, FZ_FINDING_SKEW "-", "OK coordinator.its-clock-minus-ours");
}

static void judge_namespace(const struct fz_namespace_facts *facts, const char *beginning)
{
    forget();
    fz_judge_namespace(facts, &findings);
    EXPECT(beginning);
}

TEST("The namespace: as the spec has it, with room, open")
{
    const struct fz_namespace_facts good = {.layout = "a",
                                            .leases = {.layout = "a", .horizon_ms = 60000, .workers = 100, .held = 89}};
    struct fz_namespace_facts facts = good;

    judge_namespace(&facts, "OK coordinator.namespace 89 of 100 worker ids are held; "
                            "ids continue without it for more than 30 s");
    facts.leases.held = 90;
    judge_namespace(&facts, "WARN coordinator.almost-full 90 of 100");
    facts.leases.held = 100;
    judge_namespace(&facts, "FAIL coordinator.full 100 of 100");
    facts = good;
    facts.hosts = 101;
    judge_namespace(&facts, "FAIL coordinator.full 89 of 100");
    facts = good;
    facts.horizon_ms = 60000;
    judge_namespace(&facts, "OK");
    assert_null(strstr(found, "WARN"));
    facts.horizon_ms = 3000;
    judge_namespace(&facts, "WARN coordinator.horizon-differs");
    facts.leases.quarantine_unix_ms = 5;
    judge_namespace(&facts, "WARN coordinator.quarantine nothing is granted before 1970-01-01T00:00:00.005Z");
    facts.layout = "b";
    judge_namespace(&facts, "FAIL coordinator.layout-differs the namespace has the layout 'a', the spec 'b'");
    (void)fz_fail(&facts.unreadable, FRAZIL_EWORKER, "damaged: make it anew");
    judge_namespace(&facts, "FAIL coordinator.unreadable damaged");
    fz_judge_absence(&facts.unreadable, &findings);
    EXPECT("FAIL coordinator.absent damaged");
}

/* ---- layout --------------------------------------------------------------------------- */

static void judge_layout(const char *text, int64_t years_before_end, const char *beginning)
{
    frazil_layout layout;
    frazil_layout_info info;

    assert_int_equal(frazil_layout_parse(text, strlen(text), &layout, NULL), FRAZIL_OK);
    frazil_layout_get_info(&layout, &info, sizeof info);
    forget();
    fz_judge_layout(&layout, info.last_unix_ms - years_before_end * INT64_C(31556952000), &findings);
    EXPECT(beginning);
}

/* The findings about a layout's bits. */
static const char *found_of_bits(const char *text, bool as_konayuki)
{
    frazil_layout layout;

    assert_int_equal(frazil_layout_parse(text, strlen(text), &layout, NULL), FRAZIL_OK);
    forget();
    fz_judge_layout_bits(&layout, as_konayuki, &findings);
    return found;
}

TEST("Bits that are left over are told where somebody chose them, and konayuki's own demand where it is meant")
{
    static const char *const quiet[] = {"frazil", "sno", "discord", "js53", "41/10/12", "42/10/12", "33/8/12"};

    for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++)
        assert_string_equal(found_of_bits(quiet[i], false), "");
    assert_string_equal(found_of_bits("konayuki", true), "");
    assert_non_null(strstr(found_of_bits("41/10/11", false), "OK layout.spare-bits the layout's bits add up to 62: 1"));
    assert_non_null(strstr(found_of_bits("41/4/10", true), "WARN layout.not-konayuki behaviour=konayuki, and"));
    assert_non_null(strstr(found_of_bits("discord", true), "add up to 64: konayuki accepts only 63"));
}

TEST("An epoch in seconds is taken for milliseconds of 1970, and told")
{
    judge_layout("45/7/11 epoch=1565222400", 500,
                 "WARN layout.epoch-in-seconds the epoch 1565222400 counts milliseconds, and so is "
                 "1970-01-19T02:47:02.400Z: if those were seconds, write epoch=1565222400000");
    judge_layout("45/7/11 epoch=10000000000", 500, "OK layout.life");
    assert_null(strstr(found, "seconds"));
    judge_layout("45/7/11 epoch=99999999", 500, "OK layout.life");
    assert_null(strstr(found, "seconds"));
}

TEST("How long it lasts, on both sides of each limit")
{
    judge_layout("frazil", 20, "OK layout.life its last instant is 2095-09-07T15:47:35.551Z, in 20 years");
    judge_layout("frazil", 19, "WARN layout.ageing the layout ends at 2095-09-07T15:47:35.551Z, in 19 years");
    judge_layout("frazil", 10, "WARN layout.ageing");
    judge_layout("frazil", 9, "FAIL layout.short-life");
    judge_layout("frazil", 1, "FAIL layout.short-life the layout ends at 2095-09-07T15:47:35.551Z, in 1 year: plan");
    judge_layout("frazil", 0, "FAIL layout.short-life");
    judge_layout("frazil", -1, "FAIL layout.ended");
}

TEST("The sign bit and 53 bits; a sno is no number")
{
    judge_layout("frazil", 50, "OK layout.positive");
    EXPECT("OK layout.over-53-bits");
    judge_layout("flake", 50, "WARN layout.sign-bit from 2039-09-07T15:47:35.552Z on");
    judge_layout("js53", 50, "OK layout.53-bits");
    judge_layout("sno", 50, "OK layout.life");
    assert_null(strstr(found, "bits"));
}

/* ---- forks and copies ------------------------------------------------------------------ */

TEST("Findings about forks and about copied machines")
{
    struct fz_fork_facts facts = {.wiped = true, .has_generation = true, .compared = true, .same_machine = true};

    forget();
    fz_judge_fork(&facts, &findings);
    EXPECT("OK fork.wiped", "OK fork.machine this is the machine", "OK fork.generation");
    facts.same_machine = false;
    facts.wiped = facts.has_generation = false;
    forget();
    fz_judge_fork(&facts, &findings);
    EXPECT("WARN fork.not-wiped", "WARN fork.other-machine", "OK fork.no-generation");
    facts.compared = false;
    forget();
    fz_judge_fork(&facts, &findings);
    EXPECT("OK fork.machine a copy will be noticed");
}

/* ---- all of them ------------------------------------------------------------------------ */

TEST("The tests above have brought about every finding that there is")
{
    for (int i = 0; i < FZ_FINDINGS_TOTAL; i++) {
        if (!brought_about[i])
            fail_msg("no test brings about %s", fz_finding_id((enum fz_finding)i));
    }
}
