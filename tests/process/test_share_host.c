/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: with share=host the processes of a host hold one lease together.  Those that come find it and ask
 * nobody; it outlives each of them, and the last one gives it back, after nobody can find it any more.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "generator/generator_internal.h"
#include "lib/bound.h"
#include "lib/members.h"
#include "lib/memory_namespace.h"
#include "lib/ports.h"
#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/test.h"

enum { HORIZON_MS = 1000 };

static unsigned reads;

static enum fz_register_result (*real_read)(void *, struct fz_deadline, uint32_t, struct fz_record *,
                                            struct fz_register_status *, frazil_error *);
static enum fz_register_result (*real_read_all)(void *, struct fz_deadline, fz_record_visitor, void *,
                                                struct fz_register_status *, frazil_error *);
static enum fz_register_result (*real_swap)(void *, struct fz_deadline, const struct fz_swap *, uint64_t *,
                                            struct fz_register_status *, frazil_error *);
static bool opens_before_swap;
static frazil *opened_meanwhile;

static enum fz_register_result count_read(void *ctx, struct fz_deadline deadline, uint32_t number,
                                          struct fz_record *ret, struct fz_register_status *status,
                                          frazil_error *reterr)
{
    reads++;
    return real_read(ctx, deadline, number, ret, status, reterr);
}

static enum fz_register_result count_read_all(void *ctx, struct fz_deadline deadline, fz_record_visitor visit,
                                              void *visit_ctx, struct fz_register_status *status, frazil_error *reterr)
{
    reads++;
    return real_read_all(ctx, deadline, visit, visit_ctx, status, reterr);
}

static enum fz_register_result open_and_swap(void *ctx, struct fz_deadline deadline, const struct fz_swap *swap,
                                             uint64_t *ret_version, struct fz_register_status *status,
                                             frazil_error *reterr)
{
    bool opens = opens_before_swap;

    opens_before_swap = false;
    if (opens)
        opened_meanwhile = open_member(members.spec);
    return real_swap(ctx, deadline, swap, ret_version, status, reterr);
}

static void wrap(struct fz_register *reg)
{
    real_read = reg->read;
    real_read_all = reg->read_all;
    real_swap = reg->swap;
    reg->read = count_read;
    reg->read_all = count_read_all;
    reg->swap = open_and_swap;
}

BEFORE_EACH
{
    members_start(HORIZON_MS);
    memory_namespace_wrap = wrap;
    reads = 0;
    opens_before_swap = false;
    opened_meanwhile = NULL;
}

AFTER_EACH
{
    members_stop();
}

TEST("A process that opens the same spec finds the lease of the others, without asking the coordinator")
{
    frazil *first = open_member(members.spec);
    unsigned before = reads;
    frazil *second = open_member(members.spec);

    assert_int_equal(reads, before);
    assert_int_equal(worker_of(second), worker_of(first));
    assert_true(take(second) < take(first) && take(first) < take(second));
    frazil_close(first);
    assert_false(memory_namespace_record(worker_of(second)).released);
    uint32_t worker = worker_of(second);
    frazil_close(second);
    assert_true(memory_namespace_record(worker).released);
}

TEST("With keeper=other a process has the lease of another one, never asks the coordinator, and ends nothing")
{
    const struct ports ports = members_ports();
    char other[1200];
    frazil_error err;
    frazil *member;

    snprintf(other, sizeof other, "worker=memory://orders share=host keeper=other open_wait=0 run_dir='%s/run'",
             members.scratch);
    assert_int_equal(ports_open_in_time(&member, other, &ports, &err), FRAZIL_EAGAIN);
    assert_non_null(strstr(err.message, "no process of this host holds the lease"));
    assert_int_equal(reads, 0);

    frazil *keeper = open_member(members.spec);
    unsigned before = reads;
    member = open_member(other);
    assert_int_equal(worker_of(member), worker_of(keeper));
    assert_true(take(member) < take(keeper));
    frazil_health health;
    frazil_get_health(member, &health, sizeof health, NULL);
    assert_int_equal(health.needs_grant, 1);
    assert_true(health.next_keep_ns == FRAZIL_WAIT_FOREVER);
    frazil_get_health(keeper, &health, sizeof health, NULL);
    assert_true(health.next_keep_ns < HORIZON_MS * RIG_MS);

    /* In the last quarter, where a caller with keeper=inline would extend the grant; and at its end. */
    uint64_t id;
    frazil_manual_clock_advance(members.manual, HORIZON_MS * RIG_MS * 4 / 5);
    (void)take(member);
    frazil_manual_clock_advance(members.manual, HORIZON_MS * RIG_MS * 4 / 5);
    assert_int_equal(frazil_next(member, &id), FRAZIL_ELEASE);
    assert_int_equal(reads, before);
    assert_true(take(keeper) < take(member));

    /* The keeper is killed, as it were: the member goes last, and leaves the lease to who comes. */
    uint32_t worker = worker_of(member);
    frazil_close(keeper);
    assert_false(memory_namespace_record(worker).released);
    frazil_close(member);
    assert_false(memory_namespace_record(worker).released);
    before = reads;
    keeper = open_member(members.spec);
    assert_int_equal(worker_of(keeper), worker);
    assert_int_equal(reads, before);
    frazil_close(keeper);
    assert_true(memory_namespace_record(worker).released);
}

TEST("Specs that differ in what is granted have a lease each")
{
    static const char *const others[] = {"seq_max=100", "base=1", "horizon=1s"};
    frazil *first = open_member(members.spec);
    char other[1200];

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        snprintf(other, sizeof other, "%s %s", members.spec, others[i]);
        frazil *second = open_member(other);
        assert_int_not_equal(worker_of(second), worker_of(first));
        frazil_close(second);
    }
    frazil_close(first);
}

TEST("An open that fails before it can ask the coordinator leaves the lease to those who come")
{
    const struct ports without_part = {.clock = &members.clock};
    frazil_error err;
    frazil *gen;

    pid_t pid = bound_fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)open_member(members.spec);
        _exit(0); /* as one that is killed: the lease is not given back */
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_not_equal(ports_open_in_time(&gen, members.spec, &without_part, &err), FRAZIL_OK);
    gen = open_member(members.spec);
    assert_int_equal(reads, 0); /* it has joined */
    frazil_close(gen);
}

TEST("A time to try again that a process of another time namespace has left does not keep the others from extending")
{
    frazil *gen = open_member(members.spec);
    uint32_t worker = worker_of(gen);

    frazil_manual_clock_advance(members.manual, HORIZON_MS * RIG_MS * 4 / 5);
    atomic_store(&gen->shared->keeper.retry_ns, fz_monotonic_ns(gen) + 86400 * RIG_S);
    (void)take(gen);
    assert_int_equal(memory_namespace_record(worker).extensions, 1);
    frazil_close(gen);
}

TEST("A process that opens after an outage has a grant, and nothing to tell of what failed before it")
{
    frazil *gen = open_member(members.spec);
    struct fz_keeper_shared *shared = &gen->shared->keeper;
    frazil_health health;

    atomic_store(&shared->failures, 9);
    atomic_store(&shared->failure_code, FRAZIL_EUNREACHABLE);
    atomic_store(&shared->retry_ns, fz_monotonic_ns(gen) + 2 * HORIZON_MS * RIG_MS + RIG_S);
    frazil_manual_clock_advance(members.manual, 2 * HORIZON_MS * RIG_MS);
    frazil *next = open_member(members.spec);
    frazil_get_health(next, &health, sizeof health, NULL);
    assert_int_equal(health.failures, 0);
    assert_int_equal(health.last_code, FRAZIL_OK);
    assert_int_equal(fz_keeper_retry_in_ns(next), 0);
    frazil_close(next);
    frazil_close(gen);
}

TEST("The last one leaves no tick of the lease on the page, also for one that still looks at it")
{
    frazil *gen = open_member(members.spec);
    uint64_t id;

    (void)take(gen);
    (void)fz_keeper_end(gen);
    assert_int_equal(frazil_next(gen, &id), FRAZIL_ELEASE);
    frazil_manual_clock_advance(members.manual, HORIZON_MS * RIG_MS * 4 / 5);
    assert_int_equal(frazil_next(gen, &id), FRAZIL_ELEASE);
    frazil_close(gen);
}

TEST("Another process may extend the lease, and the first one goes on with that")
{
    frazil *first = open_member(members.spec);
    frazil *second = open_member(members.spec);
    uint32_t worker = worker_of(first);

    for (unsigned i = 0; i < 6; i++) {
        frazil_manual_clock_advance(members.manual, HORIZON_MS * RIG_MS * 4 / 5);
        uint64_t before = take(i % 2 == 0 ? first : second);
        assert_true(take(i % 2 == 0 ? second : first) > before);
    }
    assert_int_equal(worker_of(first), worker);
    assert_int_equal(memory_namespace_record(worker).extensions, 6);
    frazil_close(first);
    frazil_close(second);
}

TEST("A process that is killed takes nothing with it; who comes within the horizon goes on with the lease")
{
    uint64_t last[2] = {0};
    int fds[2];

    assert_int_equal(pipe(fds), 0);
    pid_t pid = bound_fork();
    if (pid == 0) {
        frazil *gen = open_member(members.spec);
        last[0] = take(gen);
        last[1] = worker_of(gen);
        if (write(fds[1], last, sizeof last) == sizeof last)
            raise(SIGKILL);
        _exit(1);
    }
    close(fds[1]);
    assert_int_equal(read(fds[0], last, sizeof last), sizeof last);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    frazil *gen = open_member(members.spec);
    assert_int_equal(reads, 0);
    assert_int_equal(worker_of(gen), last[1]);
    assert_true(take(gen) > last[0]);
    close(fds[0]);
    frazil_close(gen);
}

TEST("A run directory that is removed under those who share a lease makes two leases, and no id twice")
{
    enum { IDS = 64 };
    uint64_t ids[2 * IDS];
    frazil *before = open_member(members.spec);

    scratch_delete(scratch_path(members.scratch, "run"));
    frazil *after = open_member(members.spec);
    assert_int_not_equal(worker_of(after), worker_of(before));
    for (size_t i = 0; i < 2 * IDS; i++) {
        if (i == IDS) /* both extend */
            frazil_manual_clock_advance(members.manual, HORIZON_MS * RIG_MS * 4 / 5);
        ids[i] = take(i % 2 == 0 ? before : after);
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(ids[j], ids[i]);
    }
    frazil_close(before);
    frazil_close(after);
}

TEST("Processes that all end and start again keep to one worker id")
{
    frazil *gen = open_member(members.spec);
    uint32_t worker = worker_of(gen);

    for (unsigned i = 0; i < 8; i++) {
        frazil_close(gen);
        frazil_manual_clock_advance(members.manual, i % 2 * 2 * HORIZON_MS * RIG_MS);
        gen = open_member(members.spec);
        assert_int_equal(worker_of(gen), worker);
    }
    frazil_close(gen);
}

TEST("While the lease is given back nobody finds it: a process that opens then takes another worker id")
{
    frazil *gen = open_member(members.spec);
    uint32_t worker = worker_of(gen);

    opens_before_swap = true;
    frazil_close(gen);
    assert_non_null(opened_meanwhile);
    assert_true(memory_namespace_record(worker).released);
    assert_int_not_equal(worker_of(opened_meanwhile), worker);
    (void)take(opened_meanwhile);
    frazil_close(opened_meanwhile);
}

TEST("When all have left, the next one has the word of before, and ids above all that were taken")
{
    frazil *gen = open_member(members.spec);
    uint64_t id = take(gen);

    frazil_close(gen);
    gen = open_member(members.spec);
    assert_true(reads > 0);
    assert_true(take(gen) > id);
    frazil_close(gen);
}

TEST("A child is a member like any other, and the lease is given back when the last of all has left")
{
    frazil *gen = open_member(members.spec);
    uint32_t worker = worker_of(gen);

    pid_t pid = bound_fork();
    if (pid == 0) {
        (void)take(gen);
        frazil_close(gen);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_false(memory_namespace_record(worker).released);
    take(gen);
    frazil_close(gen);
    assert_true(memory_namespace_record(worker).released);
}

/* The namespace as an operator has made it again, with a shorter horizon. */
static void create_again(uint64_t horizon_ms)
{
    struct fz_register reg = memory_namespace_register();
    struct fz_namespace_record record;
    struct fz_record raw;
    char text[FZ_RECORD_SIZE_MAX];
    uint64_t version;

    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, FZ_NAMESPACE, &raw, NULL, NULL), FZ_REGISTER_OK);
    assert_int_equal(fz_namespace_record_parse(raw.data, raw.len, &record, NULL), FRAZIL_OK);
    record.token.high++;
    record.horizon_ms = horizon_ms;
    size_t len = fz_namespace_record_format(&record, text);
    const struct fz_swap swap = {FZ_NAMESPACE, raw.version, text, len};
    assert_int_equal(reg.swap(reg.ctx, FZ_DEADLINE_NONE, &swap, &version, NULL, NULL), FZ_REGISTER_OK);
    reg.close(reg.ctx);
}

static uint64_t quarantine_until(void)
{
    struct fz_register reg = memory_namespace_register();
    struct fz_namespace_record record;
    struct fz_record raw;

    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, FZ_NAMESPACE, &raw, NULL, NULL), FZ_REGISTER_OK);
    assert_int_equal(fz_namespace_record_parse(raw.data, raw.len, &record, NULL), FRAZIL_OK);
    reg.close(reg.ctx);
    return record.quarantine_until;
}

TEST("L10: a process that has only found the lease knows in which namespace it was granted, and guards all that this "
     "can have granted")
{
    frazil *first = open_member(members.spec);
    uint64_t created = fz_grant_ring_read(&first->shared->grants).until - HORIZON_MS;

    create_again(HORIZON_MS / 4);
    frazil *second = open_member(members.spec);
    frazil_manual_clock_advance(members.manual, HORIZON_MS * RIG_MS * 4 / 5);
    (void)take(second);
    assert_int_equal(quarantine_until(), created + HORIZON_MS); /* its max_skew is 0 */
    frazil_close(first);
    frazil_close(second);
}

static void assert_fails(const char *text, frazil_err code, const char *why)
{
    const struct ports ports = members_ports();
    frazil_error err;
    frazil *gen;

    assert_int_equal(ports_open_in_time(&gen, text, &ports, &err), code);
    if (strstr(err.message, why) == NULL)
        fail_msg("%s", err.message);
}

static void assert_refused(const char *text, const char *why)
{
    assert_fails(text, FRAZIL_ESPEC, why);
}

TEST("share=host is refused where there is nothing to share, with what to do about it")
{
    char text[1200];

    assert_refused("worker=fixed:1 share=host", "it is for worker=URL");
    snprintf(text, sizeof text, "%s state=memory", members.spec);
    assert_refused(text, "which no other process finds: leave it out, or set share=process");
    snprintf(text, sizeof text, "%s state=file", members.spec);
    assert_refused(text, "coordinator");
    snprintf(text, sizeof text, "%s clock=frozen:2026-01-01T00:00:00Z", members.spec);
    assert_refused(text, "a frozen clock");
    snprintf(text, sizeof text, "%s on_loss=stop", members.spec);
    assert_refused(text, "on_loss=stop, as one process may move the lease of all");
    assert_refused("worker=memory://orders keeper=other", "needs worker=URL and share=host");
    assert_refused("worker=fixed:1 keeper=other", "needs worker=URL and share=host");
    assert_refused("worker=memory://orders share=all", "must be one of process host");
}

TEST("share=host is refused to a program with a clock of its own: one that is ahead would take the host's ids away")
{
    const struct ports ports = members_ports();
    frazil_error err;
    frazil *stranger;

    frazil *gen = open_member(members.spec);
    uint64_t id = take(gen);
    frazil_manual_clock_advance(members.manual, 40 * RIG_S);
    assert_int_equal(ports_open(&stranger, members.spec, &ports, &err), FRAZIL_ESPEC);
    assert_non_null(strstr(err.message, "a clock of the program's own"));
    assert_true(take(gen) > id);
    /* Of a service's environment, which means many programs, this one is left out. */
    setenv("FRAZIL_SHARE", "host", 1);
    frazil_err opened = ports_open(&stranger, "worker=memory://orders keeper=inline", &ports, &err);
    unsetenv("FRAZIL_SHARE");
    assert_int_equal(opened, FRAZIL_OK);
    assert_int_equal(stranger->store.kind, FZ_STORE_MEMORY);
    frazil_close(stranger);
    frazil_close(gen);
}

TEST("Where the run directory cannot be used, the sentence names what goes without one")
{
    assert_fails("worker=memory://orders share=host run_dir=/proc/nowhere", FRAZIL_ESYS,
                 "or give each process a lease of its own with share=process");
}

TEST("A bare lease is one process's: the spec may not share it, and the environment's share=host leaves it alone")
{
    const struct ports ports = members_ports();
    frazil_lease *lease;
    frazil_error err;

    assert_int_equal(ports_lease_open(&lease, members.spec, &ports, &err), FRAZIL_ESPEC);
    assert_non_null(strstr(err.message, "share=process"));
    setenv("FRAZIL_SHARE", "host", 1);
    frazil_err opened = ports_lease_open(&lease, "worker=memory://orders keeper=inline", &ports, &err);
    unsetenv("FRAZIL_SHARE");
    assert_int_equal(opened, FRAZIL_OK);
    frazil_lease_close(lease, 0);
}
