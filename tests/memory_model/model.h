/* SPDX-License-Identifier: MIT */
/*
 * The questions to the memory model, in C.  relacy.cc answers them through Relacy,
 * which runs a scenario again and again: in each order in which its threads'
 * atomic operations can follow each other, and with each value that an atomic
 * load may then return under the C11 rules.
 *
 * Each atomic operation of src/ comes here (rooms/stand_in.h).  While threads of a
 * scenario run, its address decides what becomes of it:
 *
 *   shared    (model_share) the operation is Relacy's: others may run before it,
 *             and a load may return what is old
 *   counted   (model_count) done at once: what only counts, and decides nothing
 *   constant  (all else) may be loaded, and a store to it ends the program: a
 *             scenario cannot forget what its threads share
 */
#ifndef MEMORY_MODEL_MODEL_H
#define MEMORY_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Memory orders, by their numbers in C11. */
enum model_order { MODEL_RELAXED, MODEL_CONSUME, MODEL_ACQUIRE, MODEL_RELEASE, MODEL_ACQ_REL, MODEL_SEQ_CST };

enum model_operation { MODEL_LOAD, MODEL_STORE, MODEL_SWAP, MODEL_ADD, MODEL_EXCHANGE };

/* Where an atomic operation stands in the source. */
struct model_site {
    const char *function;
    const char *operand; /* as it is written there */
    const char *file;
    int line;
    enum model_operation operation;
    enum model_order order;
};

/* ---- the atomic operations, of 1, 4 or 8 bytes ------------------------------- */

uint64_t model_load(const volatile void *at, size_t size, const struct model_site *site);
void model_store(volatile void *at, size_t size, uint64_t value, const struct model_site *site);
uint64_t model_exchange(volatile void *at, size_t size, uint64_t value, const struct model_site *site);
uint64_t model_add(volatile void *at, size_t size, uint64_t value, const struct model_site *site);

/* Compare-and-swap; the order of a failure is relaxed, as it is everywhere in src/.  A weak one may fail without cause.
 */
bool model_swap(volatile void *at, size_t size, void *expected, uint64_t desired, bool weak,
                const struct model_site *site);

/* Lets others go on, as one who waits does.  0. */
int model_pause(void);

/* A lock at that address, in 8 bytes: waits, and takes it by an acquiring swap; gives it back by a releasing store. */
void model_lock(void *lock);
void model_unlock(void *lock);

/* ---- for scenarios ----------------------------------------------------------- */

/* From here to the end of the run the 1, 4 or 8 bytes there are shared, and begin with what they hold. */
void model_share(volatile void *at, size_t size);

/* The value there counts only. */
void model_count(volatile void *at, size_t size);

/* Any number below n: each of them is tried. */
unsigned model_choose(unsigned n);

/* Fails unless it is true; what: the sentence that it breaks. */
void model_expect(bool holds, const char *what);

/* A variable that is not atomic, by its number: two threads at once, one of which writes, are a data race. */
enum { MODEL_PLAIN_VARIABLES = 4 };
void model_plain_write(unsigned i);
void model_plain_read(unsigned i);

enum { MODEL_THREADS_MAX = 3 };

struct scenario {
    const char *name;
    const char *rule; /* the promise that each run is checked against */
    unsigned threads;
    unsigned bound; /* how often a thread may be interrupted in a run; 0: as often as it likes */
    void (*begin)(void);
    void (*run[MODEL_THREADS_MAX])(void);
    void (*end)(void); /* NULL: nothing to do */
};

/* ---- for main.c -------------------------------------------------------------- */

/* How one operation is made weaker than it stands in the source. */
enum model_weakness {
    MODEL_AS_IT_IS,
    MODEL_NO_ACQUIRE,
    MODEL_NO_RELEASE,
    MODEL_IN_TWO /* a read-modify-write becomes a load and a store */
};

struct model_result {
    uint64_t runs;
    bool broken;
    bool cut;       /* the search ended before it had seen all, and none was broken */
    char what[256]; /* broken: by Relacy's name for it and the sentence */
};

/*
 * Runs a scenario in all orders within its bound, with the site of that number
 * weakened, until a run breaks a rule, or there were that many of them.  tell: prints the run that breaks it.
 */
struct model_result model_check(const struct scenario *scenario, int weak_site, enum model_weakness weakness,
                                uint64_t most_runs, bool tell);

/* The sites that were met in what is shared, by number, in the order in which they were met; NULL: there are no more.
 */
const struct model_site *model_site_at(int i);

/* Whether the last check has met it. */
bool model_met(int i);

#ifdef __cplusplus
}
#endif

#endif
