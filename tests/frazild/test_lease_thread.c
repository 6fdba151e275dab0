/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: one look serves all who wait for the leases of a generator, a look that takes long holds up no
 * other generator's, each of them gets a reply or the reason why there is none, and those who have left leave nothing
 * behind.
 */
#include "clock.h"
#include "failing_memory.h"
#include "lease_thread.h"
#include "lib/test.h"

#include <semaphore.h>

enum { WAITING_MAX = 64, LEASE_THREADS = 8, ENGINES = LEASE_THREADS + 1 };

static char leases, generator;    /* which nobody looks at */
static char meanings[ENGINES][2]; /* its number */
static struct engine engines[ENGINES];
static struct setup setup;
static struct event_thread event_thread;
static sem_t looked, may_answer[ENGINES], noted;
static frazil_err answer;
static uint32_t state;
static atomic_uint looks, closed;
static unsigned woken;

#pragma GCC visibility push(default)
frazil_err __wrap_frazil_admin_leases_open(frazil_admin_leases **ret, const char *spec,
                                           const frazil_coordinator *const *coordinators, frazil_error *reterr);
void __wrap_frazil_admin_leases_close(frazil_admin_leases *its);
void __wrap_frazil_get_info(frazil *gen, frazil_info *ret, size_t size);
#pragma GCC visibility pop

/* Waits until the test has set the answer of this engine's coordinator. */
frazil_err __wrap_frazil_admin_leases_open(frazil_admin_leases **ret, const char *spec,
                                           const frazil_coordinator *const *coordinators, frazil_error *reterr)
{
    (void)coordinators;
    (void)sem_post(&looked);
    (void)sem_wait(&may_answer[spec[0] - '0']);
    (void)atomic_fetch_add(&looks, 1);
    reterr->code = answer;
    if (answer == FRAZIL_OK)
        *ret = (frazil_admin_leases *)(void *)&leases;
    return answer;
}

void __wrap_frazil_admin_leases_close(frazil_admin_leases *its)
{
    (void)its;
    (void)atomic_fetch_add(&closed, 1);
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

/* Waits until a thread asks. */
static void await_look(void)
{
    assert_int_equal(sem_wait(&looked), 0);
}

/* Has the coordinator of an engine say that, and waits until so many are done. */
static void let_answer(size_t engine, frazil_err code, unsigned jobs)
{
    answer = code;
    (void)sem_post(&may_answer[engine]);
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
    assert_int_equal(sem_init(&looked, 0, 0), 0);
    assert_int_equal(sem_init(&noted, 0, 0), 0);
    memset(engines, 0, sizeof engines);
    for (size_t i = 0; i < ENGINES; i++) {
        assert_int_equal(sem_init(&may_answer[i], 0, 0), 0);
        (void)snprintf(engines[i].name, sizeof engines[i].name, "number%zu", i);
        meanings[i][0] = (char)('0' + i);
        engines[i].gen = (frazil *)(void *)&generator;
        engines[i].meaning.text = meanings[i];
        atomic_init(&engines[i].holders, 1);
    }
    setup = (struct setup){.settings.daemon.request_timeout_ns = 10 * NS_PER_S};
    memset(&event_thread, 0, sizeof event_thread);
    event_thread.setup = &setup;
    event_thread.now_ns = 1000 * NS_PER_S;
    event_thread.notify = on_notify;
    event_thread.lease_threads = lease_threads_start();
    assert_non_null(event_thread.lease_threads);
    state = FRAZIL_STATE_GRANT;
    atomic_store(&looks, 0);
    atomic_store(&closed, 0);
    woken = 0;
}

AFTER_EACH
{
    assert_null(event_thread.lease_jobs);
    lease_threads_stop(event_thread.lease_threads);
    memory_fails_at(0);
    for (size_t i = 0; i < ENGINES; i++)
        assert_int_equal(atomic_load(&engines[i].holders), 1);
}

TEST("One look serves all who wait for the leases of a generator, each by its own protocol")
{
    struct lease_job *first = submit(&engines[0], 2);
    await_look();
    struct lease_job *jobs[] = {submit(&engines[0], 2), submit(&engines[0], 3), submit(&engines[0], 2)};
    assert_false(lease_job_is_over(first));
    let_answer(0, FRAZIL_OK, 1);
    let_answer(0, FRAZIL_OK, 3);
    lease_jobs_collect(&event_thread);
    assert_int_equal(woken, 4);
    assert_int_equal(atomic_load(&looks), 2);
    assert_int_equal(atomic_load(&closed), 2);
    assert_reply(first, "two");
    assert_reply(jobs[0], "two");
    assert_reply(jobs[1], "three");
    lease_job_abandon(jobs[1]);
    lease_job_abandon(first);
    lease_job_abandon(jobs[2]);
    lease_job_abandon(jobs[0]);
}

TEST("Coordinators that do not answer, all but one of those that are asked at a time, hold up nobody else")
{
    struct lease_job *silent[LEASE_THREADS - 1][2];

    for (size_t i = 0; i < LEASE_THREADS - 1; i++) {
        for (size_t k = 0; k < 2; k++) /* the second waits behind the first, and takes no other thread */
            silent[i][k] = submit(&engines[i], 2);
        await_look();
    }
    for (size_t i = 0; i < 2; i++) { /* also when it was asked already */
        for (size_t k = LEASE_THREADS - 1; k < ENGINES; k++) {
            struct lease_job *job = submit(&engines[k], 3);
            await_look();
            let_answer(k, FRAZIL_OK, 1);
            assert_reply(job, "three");
            lease_job_abandon(job);
        }
    }
    for (size_t i = 0; i < LEASE_THREADS - 1; i++) {
        assert_false(lease_job_is_over(silent[i][0]));
        for (size_t k = 0; k < 2; k++)
            lease_job_abandon(silent[i][k]);
        let_answer(i, FRAZIL_OK, 0);
    }
}

TEST("Where as many coordinators as can be asked at a time are silent, the next one is asked when any of them answers")
{
    for (size_t first = 0; first < LEASE_THREADS; first++) {
        struct lease_job *silent[LEASE_THREADS];
        for (size_t i = 0; i < LEASE_THREADS; i++) {
            silent[i] = submit(&engines[i], 2);
            await_look();
        }
        struct lease_job *next = submit(&engines[LEASE_THREADS], 3);
        let_answer(first, FRAZIL_OK, 1);
        await_look();
        let_answer(LEASE_THREADS, FRAZIL_OK, 1);
        assert_reply(next, "three");
        lease_job_abandon(next);
        for (size_t i = 0; i < LEASE_THREADS; i++) {
            if (i != first)
                let_answer(i, FRAZIL_OK, 1);
            lease_job_abandon(silent[i]);
        }
    }
}

TEST("Who waits longer than a request may is told whether it was for the own coordinator")
{
    struct lease_job *jobs[LEASE_THREADS + 2];

    for (size_t i = 0; i < LEASE_THREADS; i++) {
        jobs[i] = submit(&engines[i], 2);
        await_look();
    }
    jobs[LEASE_THREADS] = submit(&engines[0], 2);
    jobs[LEASE_THREADS + 1] = submit(&engines[LEASE_THREADS], 2);
    event_thread.now_ns += 10 * NS_PER_S;
    assert_false(lease_job_is_over(jobs[LEASE_THREADS + 1]));
    event_thread.now_ns++;
    assert_refused(jobs[0], CODE_TRYAGAIN, "number0: the coordinator does not answer");
    assert_refused(jobs[LEASE_THREADS], CODE_TRYAGAIN, "number0: the coordinator does not answer");
    assert_refused(jobs[LEASE_THREADS + 1], CODE_TRYAGAIN,
                   "number8: the daemon waits for the coordinator of another generator");
    lease_jobs_collect(&event_thread);
    assert_int_equal(woken, 0);
    for (size_t i = 0; i < LEASE_THREADS + 2; i++)
        lease_job_abandon(jobs[i]);
    for (size_t i = 0; i < LEASE_THREADS; i++)
        let_answer(i, FRAZIL_OK, 0);
}

TEST("An error is told with its reason, and one that passes as such")
{
    static const struct {
        frazil_err code;
        enum reply_code told;
        const char *words;
    } rows[] = {
        {FRAZIL_EUNREACHABLE, CODE_TRYAGAIN, "number0: the coordinator does not answer: "},
        {FRAZIL_EREFUSED, CODE_ERR, "number0: the coordinator refuses"},
        {FRAZIL_ENOMEM, CODE_TRYAGAIN, "out of memory"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct lease_job *job = submit(&engines[0], 2);
        let_answer(0, rows[i].code, 1);
        assert_refused(job, rows[i].told, rows[i].words);
        lease_job_abandon(job);
    }
    assert_int_equal(atomic_load(&closed), 0);
    assert_int_equal(atomic_load(&looks), 3);
}

TEST("A generator without a coordinator has no leases, which is told at once, although all threads are silent")
{
    struct lease_job *silent[LEASE_THREADS];

    for (size_t i = 0; i < LEASE_THREADS; i++) {
        silent[i] = submit(&engines[i], 2);
        await_look();
    }
    state = FRAZIL_STATE_MEMORY;
    for (size_t i = 0; i <= WAITING_MAX; i++) {
        struct lease_job *job = submit(&engines[LEASE_THREADS], 2);
        assert_refused(job, CODE_ERR, "number8 has no leases");
        lease_jobs_collect(&event_thread);
        lease_job_abandon(job);
    }
    assert_int_equal(woken, WAITING_MAX + 1);
    for (size_t i = 0; i < LEASE_THREADS; i++) {
        let_answer(i, FRAZIL_OK, 1);
        lease_job_abandon(silent[i]);
    }
    assert_int_equal(atomic_load(&looks), LEASE_THREADS);
}

TEST("No more than the queue holds may wait")
{
    struct lease_job *first = submit(&engines[0], 2), *jobs[WAITING_MAX];

    await_look();
    for (size_t i = 0; i < WAITING_MAX; i++)
        assert_non_null(jobs[i] = submit(&engines[0], 2));
    assert_null(submit(&engines[0], 2));
    lease_job_abandon(jobs[7]);
    assert_non_null(jobs[7] = submit(&engines[0], 2));
    for (size_t i = 0; i < WAITING_MAX; i++)
        lease_job_abandon(jobs[i]);
    lease_job_abandon(first);
    let_answer(0, FRAZIL_OK, 0);
}

TEST("Without memory there are no threads and no job, and a reply that found none is no reply")
{
    memory_fails_at(1);
    assert_null(lease_threads_start());
    memory_fails_at(1);
    assert_null(submit(&engines[0], 2));
    memory_fails_at(0);
    struct lease_job *job = submit(&engines[0], 2);
    await_look();
    memory_fails_at(1);
    let_answer(0, FRAZIL_OK, 1);
    assert_refused(job, CODE_TRYAGAIN, "out of memory");
    lease_job_abandon(job);
}
