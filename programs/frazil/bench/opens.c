/* SPDX-License-Identifier: MIT */
/* Opening generators, and what the generator of a person's spec does: opening, closing, many threads. */
#include "bench.h"
#include "complain.h"
#include "frazil/admin.h"

#include <pthread.h>
#include <stdlib.h>

bool bench_run_open(struct bench_rig *rig, const struct bench_case *self, uint64_t count, double *ret_ns)
{
    const char *layout = self->layout != NULL ? self->layout : rig->pool_layout;
    double ns = 0;

    for (uint64_t i = 0; i < count; i++) {
        double start = bench_now_ns();
        frazil *gen = self->kept ? bench_rig_kept(rig, layout, self->keys) : bench_rig_generator(layout, self->keys);
        ns += bench_now_ns() - start;
        if (gen == NULL)
            return false;
        frazil_close(gen);
    }
    *ret_ns = ns;
    return true;
}

static void *end_at_once(void *unused)
{
    return unused;
}

/* keeper=thread needs a thread. */
static bool run_thread(struct bench_rig *rig, const struct bench_case *self, uint64_t count, double *ret_ns)
{
    double ns = 0;

    (void)rig, (void)self;
    for (uint64_t i = 0; i < count; i++) {
        pthread_t thread;
        double start = bench_now_ns();
        int err = pthread_create(&thread, NULL, end_at_once, NULL);
        ns += bench_now_ns() - start;
        if (err != 0 || pthread_join(thread, NULL) != 0) {
            complain("a thread cannot be started");
            return false;
        }
    }
    *ret_ns = ns;
    return true;
}

#define OPEN(key, name) BENCH_LABEL("Opening, files in memory", key, name, "us"), .unit_ns = 1000
#define AT_MOST_US(us) .label.targets = {{BENCH_AT_MOST, us, NULL}}
#define OPENS(spec_keys) .run = bench_run_open, .keys = (spec_keys)

const struct bench_case bench_opens[] = {
    {OPEN("open_memory", "fixed, state=memory"), OPENS("worker=fixed:127 state=memory")},
    {OPEN("open_inline", "fixed, keeper=inline"), AT_MOST_US(35), OPENS("worker=fixed:127 keeper=inline"),
     .kept = true},
    {OPEN("open_thread", "fixed, keeper=thread"), AT_MOST_US(65), OPENS("worker=fixed:127 keeper=thread"),
     .kept = true},
    {OPEN("thread", "pthread_create alone"), .run = run_thread},
    {.run = NULL},
};

bool bench_opens_run(struct bench_session *session, const struct bench_case *cases)
{
    struct bench_table *table = &session->table;
    size_t first = table->count;

    if (!bench_cases_run(session, cases))
        return false;
    for (size_t i = first; i < table->count && !bench_machine_has_in_memory(session->rig.dir); i++) {
        table->rows[i].label.group = "Opening, files on a disk: not judged";
        table->rows[i].label.targets[0].sense = BENCH_NOTHING;
    }
    return true;
}

/* ---- opening and closing as the spec says ------------------------------------- */

/* How long its coordinator takes to answer, if it has one: then each round has its place, answered or not. */
static void measure_round_trip(const char *spec, struct bench_row *row)
{
    uint64_t us;
    frazil_err err = frazil_admin_leases_round_trip(spec, NULL, &us, NULL);

    if (err == FRAZIL_OK)
        bench_row_add(row, (double)us);
    else if (err != FRAZIL_ESPEC)
        bench_row_miss(row);
}

#define AS_SPEC_SAYS .group = "Opening and closing, as SPEC says", .unit = "us"
#define BESIDE_A_READ .targets = {{BENCH_TIMES, 0, "spec_round_trip"}}

static bool open_once(struct bench_session *session)
{
    frazil_error err;
    frazil *gen;

    if (frazil_open(&gen, session->request->spec, &err) != FRAZIL_OK) {
        (void)complain_error(&err);
        return false;
    }
    session->gen = gen;
    return true;
}

static bool run_spec_opens(struct bench_session *session)
{
    static const struct bench_label labels[] = {{AS_SPEC_SAYS, .key = "spec_open", .name = "opening", BESIDE_A_READ},
                                                {AS_SPEC_SAYS, .key = "spec_close", .name = "closing", BESIDE_A_READ},
                                                {AS_SPEC_SAYS, .key = "spec_round_trip",
                                                 .name = "one read of its coordinator",
                                                 .missed = "its coordinator did not answer"}};
    struct bench_row *opening = bench_table_add(&session->table, &labels[0]);
    struct bench_row *closing = bench_table_add(&session->table, &labels[1]);
    struct bench_row *round_trip = bench_table_add(&session->table, &labels[2]);

    /* With its state in memory it lets no second one of its number be open beside it. */
    frazil_close(session->gen);
    session->gen = NULL;
    for (unsigned i = 0; i < session->rounds; i++) {
        bench_tell(session, labels[0].group, i + 1, session->rounds);
        double start = bench_now_ns();
        if (!open_once(session))
            return false;
        double opened = bench_now_ns();
        frazil_close(session->gen);
        session->gen = NULL;
        bench_row_add(opening, (opened - start) / 1000);
        bench_row_add(closing, (bench_now_ns() - opened) / 1000);
        measure_round_trip(session->request->spec, round_trip);
    }
    return open_once(session);
}

/* ---- threads that share its generator ----------------------------------------- */

static void sleep_ns(double ns)
{
    struct timespec at;

    (void)clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += (time_t)((ns + (double)at.tv_nsec) / 1e9);
    at.tv_nsec = (long)((uint64_t)(ns + (double)at.tv_nsec) % 1000000000);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0)
        continue;
}

bool bench_crowd_run(unsigned count, void *(*body)(void *), void *args, size_t size, atomic_bool *stop,
                     double window_ns, double *ret_ns_per_unit)
{
    pthread_t threads[BENCH_THREADS_MAX];
    unsigned started = 0;
    double start_ns = bench_now_ns();
    uint64_t start = bench_stamp();

    atomic_store(stop, false);
    for (; started < count; started++) {
        if (pthread_create(&threads[started], NULL, body, (char *)args + started * size) != 0)
            break;
    }
    if (started == count)
        sleep_ns(window_ns);
    atomic_store(stop, true);
    for (unsigned i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    /* The same stretch of time on both clocks tells how long a unit of the stamps is. */
    *ret_ns_per_unit = (bench_now_ns() - start_ns) / (double)(bench_stamp() - start);
    if (started < count)
        complain("%u threads cannot be started: only %u can", count, started);
    return started == count;
}

struct caller {
    const struct bench_session *session;
    const atomic_bool *stop;
    uint64_t calls;
    uint64_t longest; /* in units of bench_stamp */
    frazil_err err;
};

static void *call(void *arg)
{
    struct caller *caller = arg;
    frazil *gen = caller->session->gen;
    frazil_layout_kind kind = (frazil_layout_kind)caller->session->layout.kind;

    /* One call at least: on a busy machine the time may be over before this thread runs. */
    do {
        uint64_t start = bench_stamp();
        caller->err = bench_take_one(gen, kind);
        uint64_t end = bench_stamp();
        /* Counters may differ between CPUs; clamp negative intervals to 0. */
        if (end > start && end - start > caller->longest)
            caller->longest = end - start;
        caller->calls++;
    } while (caller->err == FRAZIL_OK && !atomic_load_explicit(caller->stop, memory_order_relaxed));
    return NULL;
}

/* All callers for a while; *ret_refused: the generator does not wait.  False after a complaint. */
static bool run_callers(struct bench_session *session, struct caller *callers, double *ret_ns_per_id,
                        double *ret_longest_us, bool *ret_refused)
{
    const unsigned count = session->request->threads;
    uint64_t calls = 0, longest = 0;
    atomic_bool stop = false;
    double ns_per_unit;

    for (unsigned i = 0; i < count; i++)
        callers[i] = (struct caller){.session = session, .stop = &stop};
    double start = bench_now_ns();
    if (!bench_crowd_run(count, call, callers, sizeof *callers, &stop, session->window_ns, &ns_per_unit))
        return false;
    double ns = bench_now_ns() - start;
    *ret_refused = false;
    for (unsigned i = 0; i < count; i++) {
        calls += callers[i].calls;
        longest = callers[i].longest > longest ? callers[i].longest : longest;
        *ret_refused = *ret_refused || callers[i].err != FRAZIL_OK;
    }
    *ret_ns_per_id = ns / (double)calls;
    *ret_longest_us = (double)longest * ns_per_unit / 1000;
    return true;
}

#define THREADS .group = "Threads that share SPEC's generator"

/* Of longer ticks not even a few pass in a time that a person waits for. */
enum { TICK_MAX_MS = 1000 };

static bool run_threads(struct bench_session *session, struct caller *callers)
{
    static const struct bench_label labels[] = {
        {THREADS, .key = "threads", .name = "threads", .unit = "",
         .missed = "it refuses calls, or its ticks are too long"},
        {THREADS, .key = "threads_next", .name = "per id, all threads together", .unit = "ns"},
        {THREADS, .key = "threads_max", .name = "longest call", .unit = "us"}};
    struct bench_row *threads = bench_table_add(&session->table, &labels[0]);
    struct bench_row *next = bench_table_add(&session->table, &labels[1]);
    struct bench_row *max = bench_table_add(&session->table, &labels[2]);
    bool refused = session->layout.tick_ms > TICK_MAX_MS;
    double ns_per_id, longest_us, longest_of_all_us = 0;

    for (unsigned i = 0; i < session->long_rounds && !refused; i++) {
        bench_tell(session, labels[0].group, i + 1, session->long_rounds);
        if (!run_callers(session, callers, &ns_per_id, &longest_us, &refused))
            return false;
        longest_of_all_us = longest_us > longest_of_all_us ? longest_us : longest_of_all_us;
        if (!refused)
            bench_row_add(next, ns_per_id);
    }
    if (refused) {
        next->rounds = 0;
        bench_row_miss(threads);
        return true;
    }
    bench_row_add(threads, session->request->threads);
    bench_row_add(max, longest_of_all_us);
    return true;
}

bool bench_spec_run(struct bench_session *session)
{
    struct caller *callers = calloc(session->request->threads, sizeof *callers);
    bool ok =
        callers != NULL ? run_spec_opens(session) && run_threads(session, callers) : bench_went_well(FRAZIL_ENOMEM);

    free(callers);
    return ok;
}
