/* SPDX-License-Identifier: MIT */
/*
 * Measuring: a session with its rig (what is measured on), its cases (what is measured) and its table of results.
 * `frazil bench` and the laboratory (bench/lab) each are a function that runs lists of cases in a session.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "table.h"

#include <frazil.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

/* ---- clocks ------------------------------------------------------------------- */

/* Nanoseconds of a clock: CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID. */
static inline double bench_clock_ns(clockid_t clock)
{
    struct timespec now = {0, 0};

    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Now, in nanoseconds since an arbitrary time. */
static inline double bench_now_ns(void)
{
    return bench_clock_ns(CLOCK_MONOTONIC);
}

/* How long this thread has run so far, in nanoseconds: what others do on the machine meanwhile does not add to it. */
static inline double bench_worked_ns(void)
{
    return bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* The processor's counter; 0 where there is none.  The row "counter read" measures this very function. */
static inline uint64_t bench_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t value;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return 0;
#endif
}

#if defined(__x86_64__) || defined(__aarch64__)
#define BENCH_HAS_COUNTER true
#else
#define BENCH_HAS_COUNTER false
#endif

/* A time by the cheapest clock there is, in units of bench_crowd_run. */
static inline uint64_t bench_stamp(void)
{
    return BENCH_HAS_COUNTER ? bench_counter() : (uint64_t)bench_now_ns();
}

/* Keeps the compiler from leaving out what a loop computes. */
#define BENCH_KEEP(value) __asm__ volatile("" : : "r"(value) : "memory")

/* ---- the rig ------------------------------------------------------------------ */

enum { BENCH_BATCH = 4096, BENCH_PATH_SIZE = 512, BENCH_SPEC_SIZE = 2048 };

/* The generators that are measured, and the scratch directory that they keep their state in. */
struct bench_rig {
    alignas(64) _Atomic uint64_t line; /* alone in its cache line: what generators are compared with */
    alignas(64) uint64_t ids[BENCH_BATCH];

    frazil *gen;         /* of layout, whose ticks have enough ids never to limit; in separate memory */
    frazil *shared;      /* the same, its word in a file that other processes map, too */
    frazil *leading;     /* of lead_layout, whose ids lead: 4096 a tick are fewer than a thread takes */
    frazil_local *local; /* a handle of gen */
    void *more;          /* for the cases of the laboratory */

    bool disturbed; /* the last sample does not count */

    char dir[BENCH_PATH_SIZE];
    char layout[128];      /* of gen, as keys of a spec */
    char lead_layout[128]; /* of leading */
    char pool_layout[128]; /* with more workers: of what is opened */
};

/*
 * Opens gen, local, leading and shared, the last with files in a directory that it makes, in memory if it can.  False
 * after a complaint; then too it has to be closed.
 */
bool bench_rig_open(struct bench_rig *rig);

/* Closes what is open and removes the directory. */
void bench_rig_close(struct bench_rig *rig);

/* Opens a generator of a layout (rig->layout, rig->pool_layout) with more keys.  NULL after a complaint. */
frazil *bench_rig_generator(const char *layout, const char *keys);

/* The same, with its state in the scratch directory. */
frazil *bench_rig_kept(const struct bench_rig *rig, const char *layout, const char *keys);

/*
 * Takes ids of each of these in turns for some 20 ms: a new generator reads the clock for each id until it knows how
 * fast the counter runs.  False after a complaint.
 */
bool bench_warm_up(frazil *const *gens, unsigned count);

/* Takes an id, or a sno from a generator of snos. */
frazil_err bench_take_one(frazil *gen, frazil_layout_kind kind);

/* Complains of an error that has no words of its own, and returns whether there was none. */
bool bench_went_well(frazil_err err);

/* ---- cases -------------------------------------------------------------------- */

struct bench_case {
    struct bench_label label; /* a row that it is compared with is in the same list */
    /*
     * Does it count times.  *ret_ns: how long that took, or how long the thread worked where one thread does it
     * without sleeping.  False, after a complaint, if it cannot be done.
     */
    bool (*run)(struct bench_rig *rig, const struct bench_case *self, uint64_t count, double *ret_ns);
    uint64_t at_once; /* count is a multiple of it; 0: 1 */
    double unit_ns;   /* the unit of the row; 0: nanoseconds */
    /* run reads these: */
    unsigned number;    /* a text form, or how many take turns */
    bool kept;          /* whether what is opened keeps its state in the scratch directory */
    const char *layout; /* of what is opened; NULL: rig->pool_layout */
    const char *keys;   /* of the spec that is opened, beside that */
};

/* A run: how long this thread works for count turns of a statement, which may set err; prepare declares variables. */
#define BENCH_RUN(name, prepare, ...)                                                                                  \
    static bool name(struct bench_rig *rig, const struct bench_case *self, uint64_t count, double *ret_ns)             \
    {                                                                                                                  \
        const uint64_t step = self->at_once == 0 ? 1 : self->at_once;                                                  \
        frazil_err err = FRAZIL_OK;                                                                                    \
        prepare;                                                                                                       \
        (void)rig;                                                                                                     \
        double start_ns = bench_worked_ns();                                                                           \
        for (uint64_t i = 0; i < count && err == FRAZIL_OK; i += step) {                                               \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
        *ret_ns = bench_worked_ns() - start_ns;                                                                        \
        return bench_went_well(err);                                                                                   \
    }

/* A run: opens and closes a generator with the layout and the keys of self; the time of closing is not in *ret_ns. */
bool bench_run_open(struct bench_rig *rig, const struct bench_case *self, uint64_t count, double *ret_ns);

/* One thread, and nothing that limits it; and opening.  The end of a list has no run. */
extern const struct bench_case bench_calls[];
extern const struct bench_case bench_opens[];

/* ---- sessions ----------------------------------------------------------------- */

enum { BENCH_THREADS_MAX = 1024 };

/* The options of the command line. */
struct bench_request {
    const char *spec; /* a generator that is measured as it is */
    unsigned rounds;  /* 0: as many as there are by default */
    unsigned threads; /* that take from it at a time: 1 to BENCH_THREADS_MAX */
    bool quick, json;
};

struct bench_session {
    struct bench_rig rig;
    struct bench_table table;
    const struct bench_request *request;
    frazil *gen; /* of the spec */
    frazil_info info;
    frazil_layout layout; /* of gen, and longer there than it */
    unsigned rounds;      /* of cases, with a sample of this length each */
    double sample_ns;
    unsigned long_rounds; /* that many calls fit into */
    double window_ns;
    double told_ns; /* when it was last told how far it is; NAN: standard error is no terminal */
};

/* Tells on a terminal how far the rounds of a group are, once in a second. */
void bench_tell(struct bench_session *session, const char *group, unsigned round, unsigned rounds);

/*
 * Opens what is asked for, has it measured, and prints the table.  Returns the command's exit status, after a
 * complaint if that is not STATUS_OK.
 */
int bench_session_run(const struct bench_request *request, bool (*measure)(struct bench_session *session));

/*
 * Adds a row for each case of a list, and takes a sample of each case in each round, in turns, so that a slow moment
 * of the machine hits all of them.  False, after a complaint, when a case fails.
 */
bool bench_cases_run(struct bench_session *session, const struct bench_case *cases);

/* The same with cases of opening.  Where the scratch directory is not in memory the rows say so, without targets. */
bool bench_opens_run(struct bench_session *session, const struct bench_case *cases);

/* Measures opening, closing and the threads of the spec's generator.  False after a complaint. */
bool bench_spec_run(struct bench_session *session);

/* Runs count threads of body, each with its part of args, for window_ns; body ends when it sees *stop. */
bool bench_crowd_run(unsigned count, void *(*body)(void *), void *args, size_t size, atomic_bool *stop,
                     double window_ns, double *ret_ns_per_unit);

/* ---- the machine -------------------------------------------------------------- */

enum { BENCH_MACHINE_TEXT = 128 };

struct bench_machine {
    char cpu[BENCH_MACHINE_TEXT];
    char system[BENCH_MACHINE_TEXT]; /* kernel with its version, and the architecture */
    const char *compiler;
    long cpus; /* this process may use now */
};

/* Asks the system; what it does not say is "unknown". */
void bench_machine_read(struct bench_machine *ret);

/* Whether a directory is of a file system that is nowhere but in memory; false also when the system does not say. */
bool bench_machine_has_in_memory(const char *directory);

#endif
