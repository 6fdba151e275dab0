/* SPDX-License-Identifier: MIT */
/*
 * One generator for all openings of a process that mean the same.
 *
 * A fork can come at any step of another thread, and the child has memory as it was at that step and none of the
 * threads.  So:
 * - The list with its lock belongs to one process.  A child makes its own, over the entries that it inherits.
 * - Whether a thread opens or closes an entry is told by the mark of its process.  The mark of another process means
 *   that this thread did not come along.
 * - Each change of the list is one store, before which or after which a child may be born: an entry is linked when it
 *   is complete, and unlinked before it is freed.
 * - An entry has its generator only while that is wholly open: from behind its opening to before its closing.
 *   An entry whose generator was stopped is passed over by openings, and lives as long as its users.
 *
 * A child cannot know that a thread was about to leave.  The child counts that user for ever, and keeps open what was
 * to be closed, until it ends.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "background_job.h"
#include "config/canonical.h"
#include "config/options.h"
#include "core/sentence.h"
#include "core/wipe.h"
#include "generator_internal.h"
#include "monotonic_condition.h"
#include "open.h"
#include "os/cancel.h"
#include "os/deadline.h"
#include "os/this_process.h"
#include "os/waits.h"

/*
 * How long closing tries to give back what is held.  The shortest bounds frazil_close, also where a thread has to end a
 * request first; the longest is that of a URL's timeout.
 */
static const uint64_t shortest_close_ns = 2000000000;
static const uint64_t longest_close_ns = 60000000000;

/* All entries of a process. */
struct fz_shared_generators {
    uint64_t process; /* by its mark */
    pthread_mutex_t lock;
    pthread_cond_t left; /* a thread has opened or closed an entry */
    struct fz_shared_generator *_Atomic first;
};

/* All of it but stopped is written under the lock.  Its text is written before others see it. */
struct fz_shared_generator {
    struct fz_shared_generator *_Atomic next;
    _Atomic uint64_t busy; /* the process whose thread opens or closes it; 0 or another one: none does */
    _Atomic bool stopped;  /* the generator was: it stays with its users, and no opening joins them */
    uint64_t users;        /* that have it open, open it, or wait for that */
    frazil *_Atomic gen;   /* NULL: nobody has opened it, or it is being closed */
    char text[];           /* the key of what was decided, passwords included */
};

/* ---- the list -------------------------------------------------------------------------- */

static bool init_entries(struct fz_shared_generators *all)
{
    return pthread_mutex_init(&all->lock, NULL) == 0 && fz_monotonic_condition_init(&all->left) == 0;
}

/* Made by the first thread that needs them; NULL: out of memory. */
static struct fz_shared_generators *entries_of_process(void)
{
    struct fz_shared_generators *all = fz_process_kept(FZ_KEPT_SHARED_GENERATORS);
    uint64_t process = fz_this_process();

    /* After a fork those that are kept are the parent's, whose lock may be held for ever. */
    if (process == 0 || (all != NULL && all->process == process))
        return process == 0 ? NULL : all;
    struct fz_shared_generators *own = fz_process_alloc(sizeof *own);
    if (own == NULL || !init_entries(own)) {
        fz_process_free(own);
        return NULL;
    }
    own->process = process;
    if (all != NULL)
        atomic_init(&own->first, atomic_load_explicit(&all->first, memory_order_acquire));
    if (fz_process_keep(FZ_KEPT_SHARED_GENERATORS, all, own))
        return own;
    fz_process_free(own); /* another thread was faster */
    return fz_process_kept(FZ_KEPT_SHARED_GENERATORS);
}

static bool is_passed_over(const struct fz_shared_generator *entry, const char *text)
{
    return strcmp(entry->text, text) != 0 || atomic_load_explicit(&entry->stopped, memory_order_acquire);
}

static struct fz_shared_generator *entry_of(const struct fz_shared_generators *all, const char *text)
{
    struct fz_shared_generator *entry = atomic_load_explicit(&all->first, memory_order_acquire);

    while (entry != NULL && is_passed_over(entry, text))
        entry = atomic_load_explicit(&entry->next, memory_order_acquire);
    return entry;
}

/* NULL: out of memory. */
static struct fz_shared_generator *entry_add(struct fz_shared_generators *all, const char *text)
{
    size_t size = strlen(text) + 1;
    struct fz_shared_generator *entry = calloc(1, sizeof *entry + size);

    if (entry == NULL)
        return NULL;
    memcpy(entry->text, text, size);
    atomic_init(&entry->next, atomic_load_explicit(&all->first, memory_order_relaxed));
    atomic_store_explicit(&all->first, entry, memory_order_release);
    return entry;
}

static bool entry_is_busy(const struct fz_shared_generators *all, const struct fz_shared_generator *entry)
{
    return atomic_load_explicit(&entry->busy, memory_order_relaxed) == all->process;
}

/* The thread that calls opens it from now on, or closes it. */
static void entry_make_busy(const struct fz_shared_generators *all, struct fz_shared_generator *entry)
{
    atomic_store_explicit(&entry->gen, NULL, memory_order_release);
    atomic_store_explicit(&entry->busy, all->process, memory_order_release);
}

static void entry_unlink(struct fz_shared_generators *all, struct fz_shared_generator *entry)
{
    struct fz_shared_generator *_Atomic *place = &all->first;

    while (atomic_load_explicit(place, memory_order_relaxed) != entry)
        place = &atomic_load_explicit(place, memory_order_relaxed)->next;
    atomic_store_explicit(place, atomic_load_explicit(&entry->next, memory_order_relaxed), memory_order_release);
}

/*
 * Without the lock: the thread that calls has opened it, or else has closed it, and is no user any more.  Whoever waits
 * goes on; without any user the entry goes.
 */
static void entry_end_turn(struct fz_shared_generators *all, struct fz_shared_generator *entry, frazil *gen)
{
    pthread_mutex_lock(&all->lock);
    entry->users -= gen == NULL;
    bool is_unused = entry->users == 0;
    atomic_store_explicit(&entry->gen, gen, memory_order_release);
    atomic_store_explicit(&entry->busy, 0, memory_order_release);
    if (is_unused)
        entry_unlink(all, entry);
    pthread_cond_broadcast(&all->left);
    pthread_mutex_unlock(&all->lock);
    if (!is_unused)
        return;
    fz_wipe(entry->text, strlen(entry->text));
    free(entry);
}

/* ---- closing ------------------------------------------------------------------------------ */

/* Under the lock: a user leaves.  False: it is the last one and closes the generator; the entry is busy with that. */
static bool entry_leave_to_others(const struct fz_shared_generators *all, struct fz_shared_generator *entry)
{
    bool has_others = entry->users > 1;

    if (has_others)
        entry->users--;
    else
        entry_make_busy(all, entry);
    return has_others;
}

/* Closes what nobody uses any more, and ends the turn of the last user. */
static frazil_err close_job(frazil *gen, struct fz_deadline deadline, frazil_error *reterr)
{
    struct fz_shared_generator *entry = gen->shared_generator;

    (void)reterr;
    frazil_err err = fz_close_opened(gen, deadline);
    if (entry != NULL)
        entry_end_turn(entries_of_process(), entry, NULL);
    return err;
}

/* Gives back what can be given back in that time, but tries for a while also if the caller does not wait. */
static struct fz_deadline close_deadline(uint64_t wait_ns)
{
    uint64_t ns = wait_ns < shortest_close_ns ? shortest_close_ns : wait_ns;

    return fz_deadline_in(ns < longest_close_ns ? ns : longest_close_ns);
}

/* Nothing of the program's is called after a call that closes has returned. */
static bool closes_itself(const frazil *gen)
{
    return gen->fixed.has_program_ports || gen->overflow.fn != NULL;
}

/* Has a thread close it, for which the caller waits so long; without a thread it closes in that time itself. */
static frazil_err close_in_background(frazil *gen, uint64_t most_ns)
{
    const struct fz_background_wait wait = {.until = fz_deadline_in(most_ns)};
    frazil_err err = FRAZIL_OK;

    switch (fz_background_run(gen, close_job, close_deadline(most_ns), &wait, &err, NULL)) {
    case FZ_BACKGROUND_ENDED:
        return err;
    case FZ_BACKGROUND_NO_THREAD:
        return close_job(gen, fz_deadline_earlier(close_deadline(most_ns), wait.until), NULL);
    case FZ_BACKGROUND_GOES_ON:
        break;
    }
    return FRAZIL_EAGAIN;
}

/* The caller is the last user.  If it may use no thread, or would call what is the program's, it closes it itself. */
static frazil_err close_as_last(frazil *gen, uint64_t most_ns, bool may_use_thread)
{
    return may_use_thread && !closes_itself(gen) ? close_in_background(gen, most_ns)
                                                 : close_job(gen, close_deadline(most_ns), NULL);
}

/* Whether others use it, so that there is nothing to close.  A child that has no memory for a lock leaves it open. */
static bool leaves_open(frazil *gen, frazil_err *ret_err)
{
    if (gen->shared_generator == NULL)
        return false;
    struct fz_shared_generators *all = entries_of_process();
    if (all == NULL) {
        *ret_err = FRAZIL_ENOMEM;
        return true;
    }
    pthread_mutex_lock(&all->lock);
    bool has_others = entry_leave_to_others(all, gen->shared_generator);
    pthread_mutex_unlock(&all->lock);
    return has_others;
}

/* A thread that ended in here would leave half of the generator open. */
static frazil_err leave_or_close(frazil *gen, uint64_t most_ns, bool may_use_thread)
{
    frazil_err err = FRAZIL_OK;

    int cancel = fz_cancel_off();
    if (!leaves_open(gen, &err))
        err = close_as_last(gen, most_ns, may_use_thread);
    fz_cancel_as(cancel);
    return err;
}

void frazil_close(frazil *gen)
{
    frazil_err ignored = FRAZIL_OK;

    /* A request that the keeper's thread is just making ends with its own timeout. */
    if (gen != NULL)
        ignored = leave_or_close(gen, shortest_close_ns, gen->keeper.asks_coordinator);
    (void)ignored;
}

frazil_err frazil_close_within(frazil *gen, uint64_t wait_ns)
{
    if (gen == NULL)
        return FRAZIL_OK;
    uint64_t most_ns = wait_ns == FRAZIL_WAIT_DEFAULT ? gen->fixed.max_wait_ns : wait_ns;
    return leave_or_close(gen, most_ns, most_ns != FRAZIL_WAIT_FOREVER);
}

/* ---- opening ------------------------------------------------------------------------------ */

/*
 * Under the lock: waits until no other thread opens or closes the entry.  The caller is a user of it already, so that
 * no thread that opens and closes it again and again passes by.  False: it may wait no longer.
 */
static bool await_turn(struct fz_shared_generators *all, const struct fz_shared_generator *entry,
                       struct fz_deadline deadline)
{
    while (entry_is_busy(all, entry)) {
        if (fz_waits_ended() || !fz_monotonic_condition_look(&all->left, &all->lock, deadline))
            return false;
    }
    return true;
}

/* Under the lock, which others have while it closes: leaves what was stopped while this opening waited for it. */
static void entry_leave_stopped(struct fz_shared_generators *all, struct fz_shared_generator *entry,
                                struct fz_deadline deadline)
{
    frazil *gen = atomic_load_explicit(&entry->gen, memory_order_relaxed);
    const uint64_t left_ns = fz_deadline_left_ns(deadline);

    if (entry_leave_to_others(all, entry))
        return;
    pthread_mutex_unlock(&all->lock);
    frazil_err ignored = close_as_last(gen, left_ns < shortest_close_ns ? left_ns : shortest_close_ns, true);
    (void)ignored;
    pthread_mutex_lock(&all->lock);
}

/* Whether it has a generator that was stopped: one that its opener has stopped since. */
static bool entry_was_stopped(const struct fz_shared_generator *entry)
{
    return atomic_load_explicit(&entry->gen, memory_order_relaxed) != NULL &&
           atomic_load_explicit(&entry->stopped, memory_order_acquire);
}

/* Under the lock: the entry for a text, with one user more if it is the caller's turn.  NULL: out of memory. */
static struct fz_shared_generator *entry_join(struct fz_shared_generators *all, const char *text,
                                              struct fz_deadline deadline, bool *ret_is_turn)
{
    for (;;) {
        struct fz_shared_generator *entry = entry_of(all, text);
        if (entry == NULL)
            entry = entry_add(all, text);
        if (entry == NULL)
            return NULL;
        entry->users++;
        *ret_is_turn = await_turn(all, entry, deadline);
        entry->users -= !*ret_is_turn; /* never the last: the thread that is at it will see to the entry */
        if (!*ret_is_turn || !entry_was_stopped(entry))
            return entry;
        entry_leave_stopped(all, entry, deadline);
    }
}

/*
 * The entry for a text, with one user more; if it has no generator the caller opens that.  NULL: *ret_err is
 * FRAZIL_ENOMEM, or FRAZIL_EAGAIN if others are at it for longer than the caller waits.
 */
static struct fz_shared_generator *entry_enter(struct fz_shared_generators *all, const char *text,
                                               struct fz_deadline deadline, frazil_err *ret_err, frazil_error *reterr)
{
    bool is_turn = false;

    pthread_mutex_lock(&all->lock);
    struct fz_shared_generator *entry = entry_join(all, text, deadline, &is_turn);
    if (is_turn && atomic_load_explicit(&entry->gen, memory_order_relaxed) == NULL)
        entry_make_busy(all, entry);
    pthread_mutex_unlock(&all->lock);
    if (entry == NULL)
        *ret_err = fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    else if (!is_turn)
        *ret_err = fz_fail(reterr, FRAZIL_EAGAIN,
                           "another thread of this process is still opening or closing this shared generator, and "
                           "this opening waits no longer: open it again, or raise open_wait");
    return is_turn ? entry : NULL;
}

/* An opening: what was decided, and which parts are there. */
struct shared_opening {
    struct fz_decision decision;
    struct fz_ports ports; /* no clock, random numbers or granter */
};

/* Opens an entry that the caller has made busy. */
static frazil_err entry_open(struct fz_shared_generators *all, struct fz_shared_generator *entry,
                             const struct shared_opening *opening, struct fz_deadline deadline, frazil_error *reterr)
{
    frazil *gen = NULL;

    frazil_err err = fz_open_decided(&gen, &opening->decision, &opening->ports, deadline, reterr);
    if (err == FRAZIL_OK)
        gen->shared_generator = entry;
    entry_end_turn(all, entry, err == FRAZIL_OK ? gen : NULL);
    return err;
}

static frazil_err entry_open_text(frazil **ret, const char *text, const struct shared_opening *opening,
                                  frazil_error *reterr)
{
    struct fz_deadline deadline = fz_deadline_in(opening->decision.open_wait_ns);
    struct fz_shared_generators *all = entries_of_process();
    frazil_err err = FRAZIL_OK;

    if (all == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    struct fz_shared_generator *entry = entry_enter(all, text, deadline, &err, reterr);
    if (entry == NULL)
        return err;
    /* Not busy: it is open, and as long as this thread is its user it stays so. */
    if (atomic_load_explicit(&entry->gen, memory_order_acquire) == NULL)
        err = entry_open(all, entry, opening, deadline, reterr);
    if (err == FRAZIL_OK)
        *ret = atomic_load_explicit(&entry->gen, memory_order_relaxed);
    return err;
}

/* Writes the key of a decision; on success the caller wipes and frees it. */
static frazil_err entry_make_key(const struct fz_decision *decision, char **ret, frazil_error *reterr)
{
    size_t len;

    (void)fz_canonical_text(decision, FZ_TEXT_KEY, NULL, 0, &len);
    size_t size = len + 1;
    char *key = malloc(size);
    frazil_err err = key == NULL ? FRAZIL_ENOMEM : fz_canonical_text(decision, FZ_TEXT_KEY, key, size, &len);
    if (err == FRAZIL_OK) {
        *ret = key;
        return err;
    }
    free(key);
    return fz_fail(reterr, err, key == NULL ? "out of memory" : "another thread changed the environment meanwhile");
}

static frazil_err entry_open_decided(frazil **ret, const struct shared_opening *opening, frazil_error *reterr)
{
    char *key = NULL;

    frazil_err err = entry_make_key(&opening->decision, &key, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = entry_open_text(ret, key, opening, reterr);
    fz_wipe(key, strlen(key));
    free(key);
    return err;
}

/* An option that the text of the options does not hold, by which shared generators are found; NULL: there is none. */
static const char *what_no_text_says(const frazil_options *options)
{
    return options->has_clock      ? "a clock of the program's"
           : options->has_random   ? "random numbers of the program's"
           : options->has_granter  ? "a granter of the program's"
           : options->has_snapshot ? "a snapshot"
                                   : NULL;
}

frazil_err frazil_open_shared_with(frazil **ret, const frazil_options *options, frazil_error *reterr)
{
    struct shared_opening opening = {.ports = {.coordinators = options->coordinators}};
    const char *what = what_no_text_says(options);

    if (what != NULL)
        return fz_fail(reterr, FRAZIL_EINVAL,
                       "%s cannot be shared by all openings that mean the same: open a generator of its own with it",
                       what);
    /* A thread that ends in here would hold its lock for ever. */
    int cancel = fz_cancel_off();
    frazil_err err = fz_options_decide(&opening.decision, options, FZ_OPENING_GENERATOR, reterr);
    if (err == FRAZIL_OK) {
        err = entry_open_decided(ret, &opening, reterr);
        fz_decision_free(&opening.decision);
    }
    fz_cancel_as(cancel);
    return err;
}

frazil_err frazil_open_shared(frazil **ret, const char *spec, frazil_error *reterr)
{
    frazil_options options = {.environment = FRAZIL_ENVIRONMENT_BY_KEY};

    frazil_err err = fz_options_of_spec(&options, spec, reterr);
    if (err == FRAZIL_OK)
        err = frazil_open_shared_with(ret, &options, reterr);
    fz_options_forget(&options);
    return err;
}

/* ---- stopping ------------------------------------------------------------------------------- */

/* How often to wait for a thread that is just publishing an anchor; one of a parent process never comes to an end. */
enum { SHUT_TRIES = 1000 };

void frazil_stop(frazil *gen)
{
    /* First, so that a child that is born in between has no stopped generator that others would join. */
    if (gen->shared_generator != NULL)
        atomic_store_explicit(&gen->shared_generator->stopped, true, memory_order_release);
    atomic_store_explicit(&gen->stopped, true, memory_order_relaxed);
    for (int tries = 0; tries < SHUT_TRIES && !fz_anchor_shut(&gen->private_page->anchor); tries++)
        sched_yield();
}
