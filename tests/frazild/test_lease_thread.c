/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: one look serves all who wait for the leases of a generator, each of them gets a reply or the
 * reason why there is none, and those who have left leave nothing behind.
 */
#include "clock.h"
#include "failing_memory.h"
#include "lease_thread.h"
#include "lib/test.h"

#include <semaphore.h>

enum { WAITING_MAX = 64 };

static char leases, generator, meaning[1]; /* which nobody looks at */
static struct engine engines[2];
static struct setup setup;
static struct event_thread event_thread;
static sem_t looked, may_answer, noted;
static frazil_err answer;
static uint32_t state;
static unsigned looks, closed, woken;

#pragma GCC visibility push(default)
frazil_err __wrap_frazil_admin_leases_open(frazil_admin_leases **ret, const char *spec,
                                           const frazil_coordinator *const *coordinators, frazil_error *reterr);
void __wrap_frazil_admin_leases_close(frazil_admin_leases *its);
void __wrap_frazil_get_info(frazil *gen, frazil_info *ret, size_t size);
#pragma GCC visibility pop

/* Waits until the test has set the answer. */
frazil_err __wrap_frazil_admin_leases_open(frazil_admin_leases **ret, const char *spec,
                                           const frazil_coordinator *const *coordinators, frazil_error *reterr)
{
    (void)spec;
    (void)coordinators;
    (void)sem_post(&looked);
    (void)sem_wait(&may_answer);
    looks++;
    reterr->code = answer;
    if (answer == FRAZIL_OK)
        *ret = (frazil_admin_leases *)(void *)&leases;
    return answer;
}

void __wrap_frazil_admin_leases_close(frazil_admin_leases *its)
{
    (void)its;
    closed++;
}

void __wrap_frazil_get_info(frazil *gen, frazil_info *ret, size_t size)
{
    (void)gen;
    (void)size;
    *ret = (frazil_info){.state = state};
}

static void write_leases(const frazil_admin_leases *its, int version, struct bytes *out)
{
    bytes_add_text(out, (const void *)its != &leases ? "others" : version == 3 ? "three" : "two");
}

static void on_wake(void *owner)
{
    (*(unsigned *)owner)++;
}

static void on_notify(struct event_thread *its)
{
    (void)its;
    (void)sem_post(&noted);
}

static struct lease_job *submit(struct engine *engine, int version)
{
    const struct lease_order order = {write_leases, version, on_wake, &woken};

    return lease_job_submit(&event_thread, engine, &order);
}

/* Waits until the thread asks. */
static void await_look(void)
{
    assert_int_equal(sem_wait(&looked), 0);
}

/* Has the coordinator say that, and waits until so many are done. */
static void let_answer(frazil_err code, unsigned jobs)
{
    answer = code;
    (void)sem_post(&may_answer);
    for (unsigned i = 0; i < jobs; i++)
        assert_int_equal(sem_wait(&noted), 0);
}

static void assert_refused(const struct lease_job *job, enum reply_code code, const char *words)
{
    struct refusal refusal;

    assert_true(lease_job_is_over(job));
    assert_null(lease_job_reply(job, &refusal));
    assert_int_equal(refusal.code, code);
    if (strstr(refusal.text, words) == NULL)
        fail_msg("%s", refusal.text);
}

static void assert_reply(const struct lease_job *job, const char *text)
{
    struct refusal refusal;

    assert_true(lease_job_is_over(job));
    const struct bytes *reply = lease_job_reply(job, &refusal);
    assert_non_null(reply);
    assert_int_equal(reply->len, strlen(text));
    assert_memory_equal(reply->at, text, reply->len);
}

BEFORE_EACH
{
    sem_t *const all[] = {&looked, &may_answer, &noted};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        assert_int_equal(sem_init(all[i], 0, 0), 0);
    memset(engines, 0, sizeof engines);
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(engines[i].name, sizeof engines[i].name, "number%zu", i);
        engines[i].gen = (frazil *)(void *)&generator;
        engines[i].meaning = meaning;
        atomic_init(&engines[i].holders, 1);
    }
    setup = (struct setup){.settings.daemon.request_timeout_ns = 10 * NS_PER_S};
    memset(&event_thread, 0, sizeof event_thread);
    event_thread.setup = &setup;
    event_thread.now_ns = 1000 * NS_PER_S;
    event_thread.notify = on_notify;
    event_thread.lease_thread = lease_thread_start();
    assert_non_null(event_thread.lease_thread);
    state = FRAZIL_STATE_GRANT;
    looks = closed = woken = 0;
}

AFTER_EACH
{
    assert_null(event_thread.lease_jobs);
    lease_thread_stop(event_thread.lease_thread);
    memory_fails_at(0);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(atomic_load(&engines[i].holders), 1);
}

TEST("One look serves all who wait for the leases of a generator, each by its own protocol")
{
    struct lease_job *first = submit(&engines[0], 2);
    await_look();
    struct lease_job *jobs[] = {submit(&engines[1], 2), submit(&engines[0], 2), submit(&engines[1], 3)};
    assert_false(lease_job_is_over(first));
    let_answer(FRAZIL_OK, 1);
    let_answer(FRAZIL_OK, 2);
    let_answer(FRAZIL_OK, 1);
    lease_jobs_collect(&event_thread);
    assert_int_equal(woken, 4);
    assert_int_equal(looks, 3);
    assert_int_equal(closed, 3);
    assert_reply(first, "two");
    assert_reply(jobs[0], "two");
    assert_reply(jobs[2], "three");
    lease_job_abandon(jobs[1]);
    lease_job_abandon(first);
    lease_job_abandon(jobs[2]);
    lease_job_abandon(jobs[0]);
}

TEST("Who waits longer than a request may is told whether it was for the own coordinator")
{
    struct lease_job *jobs[] = {submit(&engines[0], 2), NULL, NULL};
    await_look();
    jobs[1] = submit(&engines[0], 2);
    jobs[2] = submit(&engines[1], 2);
    event_thread.now_ns += 10 * NS_PER_S;
    assert_false(lease_job_is_over(jobs[2]));
    event_thread.now_ns++;
    assert_refused(jobs[0], CODE_TRYAGAIN, "number0: the coordinator does not answer");
    assert_refused(jobs[1], CODE_TRYAGAIN, "number0: the coordinator does not answer");
    assert_refused(jobs[2], CODE_TRYAGAIN, "number1: the daemon waits for the coordinator of another generator");
    lease_jobs_collect(&event_thread);
    assert_int_equal(woken, 0);
    for (size_t i = 0; i < 3; i++)
        lease_job_abandon(jobs[i]);
    let_answer(FRAZIL_OK, 0);
}

TEST("An error is told with its reason, and one that passes as such")
{
    static const struct {
        frazil_err code;
        uint32_t state;
        enum reply_code told;
        const char *words;
    } rows[] = {
        {FRAZIL_EUNREACHABLE, FRAZIL_STATE_GRANT, CODE_TRYAGAIN, "number0: the coordinator does not answer: "},
        {FRAZIL_EREFUSED, FRAZIL_STATE_GRANT, CODE_ERR, "number0: the coordinator refuses"},
        {FRAZIL_ENOMEM, FRAZIL_STATE_GRANT, CODE_TRYAGAIN, "out of memory"},
        {FRAZIL_OK, FRAZIL_STATE_MEMORY, CODE_ERR, "number0 has no leases"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        state = rows[i].state;
        struct lease_job *job = submit(&engines[0], 2);
        let_answer(rows[i].code, 1);
        assert_refused(job, rows[i].told, rows[i].words);
        lease_job_abandon(job);
    }
    assert_int_equal(closed, 0);
    assert_int_equal(looks, 3);
}

TEST("No more than the queue holds may wait")
{
    struct lease_job *first = submit(&engines[0], 2), *jobs[WAITING_MAX];

    await_look();
    for (size_t i = 0; i < WAITING_MAX; i++)
        assert_non_null(jobs[i] = submit(&engines[1], 2));
    assert_null(submit(&engines[0], 2));
    lease_job_abandon(jobs[7]);
    assert_non_null(jobs[7] = submit(&engines[0], 2));
    for (size_t i = 0; i < WAITING_MAX; i++)
        lease_job_abandon(jobs[i]);
    lease_job_abandon(first);
    let_answer(FRAZIL_OK, 0);
}

TEST("Without memory there is no thread and no job, and a reply that found none is no reply")
{
    memory_fails_at(1);
    assert_null(lease_thread_start());
    memory_fails_at(1);
    assert_null(submit(&engines[0], 2));
    memory_fails_at(0);
    struct lease_job *job = submit(&engines[0], 2);
    await_look();
    memory_fails_at(1);
    let_answer(FRAZIL_OK, 1);
    assert_refused(job, CODE_TRYAGAIN, "out of memory");
    lease_job_abandon(job);
}
