/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: processes that share a page in a file extend its grant in turns.  One that is killed in its turn
 * gives it to the next one at once, and one that is stopped in it does so after a while.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "generator/extension_lock.h"
#include "generator/generator_internal.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/deadline.h"

static const uint64_t second_ns = 1000000000;
static const char *scratch;
static frazil *gen;
static frazil *other; /* of another process, as far as the page tells */

static frazil *open_word(void)
{
    char spec[1200];
    frazil_error err;
    frazil *opened;

    snprintf(spec, sizeof spec, "worker=fixed:7 state=file keeper=hook run_dir='%s/run' state_dir='%s/state'", scratch,
             scratch);
    if (frazil_open(&opened, spec, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return opened;
}

BEFORE_EACH
{
    scratch = scratch_make();
    gen = open_word();
    other = open_word();
}

AFTER_EACH
{
    frazil_close(other);
    frazil_close(gen);
    scratch_remove(scratch);
}

/* The process that has the turn has had it for so long. */
static void let_pass(uint64_t ns)
{
    atomic_fetch_sub(&gen->shared->keeper.extension_since_ns, ns);
}

static bool is_always_needless(frazil *ignored)
{
    (void)ignored;
    return true;
}

TEST("A process that is killed in its turn has it no more, whatever time it would have had")
{
    struct fz_extension_lock lock;
    int status;

    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        frazil *own = open_word(); /* as what it inherited is its parent's, too */
        if (fz_extension_lock_try(own, &lock))
            raise(SIGKILL);
        _exit(1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_not_equal(atomic_load(&gen->shared->keeper.extension_since_ns), 0);
    assert_false(fz_extension_lock_is_held(gen));
    assert_true(fz_extension_lock_try(gen, &lock));
    assert_true(fz_extension_lock_is_held(other));
    fz_extension_lock_release(gen, &lock);
    assert_false(fz_extension_lock_is_held(other));
}

TEST("A first turn lasts longer than a few answers of a slow coordinator, and not for ever")
{
    struct fz_extension_lock lock;
    struct fz_extension_lock taken_over;

    atomic_store(&gen->shared->keeper.horizon_ticks, 0); /* nobody knows yet how long a grant lasts */
    assert_true(fz_extension_lock_try(gen, &lock));
    let_pass(3 * second_ns);
    assert_true(fz_extension_lock_is_held(other));
    assert_false(fz_extension_lock_try(other, &taken_over));
    let_pass(3 * second_ns);
    assert_false(fz_extension_lock_is_held(other));
    assert_true(fz_extension_lock_try(other, &taken_over));
    fz_extension_lock_release(gen, &lock); /* which is not its own any more */
    assert_true(fz_extension_lock_is_held(gen));
    fz_extension_lock_release(other, &taken_over);
    assert_false(fz_extension_lock_is_held(gen));
}

TEST("One that waits for its turn takes it from one that is stopped when its time is over")
{
    struct fz_extension_lock lock;
    struct fz_extension_lock taken_over;

    assert_true(fz_extension_lock_try(gen, &lock));
    let_pass(3600 * second_ns);
    assert_true(fz_extension_lock_wait(other, FZ_DEADLINE_NONE, NULL, &taken_over));
    fz_extension_lock_release(other, &taken_over);
    fz_extension_lock_release(gen, &lock);
}

TEST("A wait for a turn ends when there is no need for one any more")
{
    struct fz_extension_lock lock;
    struct fz_extension_lock none;

    assert_true(fz_extension_lock_try(gen, &lock));
    atomic_store(&gen->shared->keeper.extension_since_ns, 0); /* and no time would ever be over */
    let_pass(UINT64_MAX - fz_machine_clock_ns() + 1);
    const struct fz_deadline hang = fz_deadline_in(60 * second_ns);
    assert_false(fz_extension_lock_wait(other, hang, is_always_needless, &none));
    assert_true(fz_deadline_left_ns(hang) > 0);
    fz_extension_lock_release(gen, &lock);
}

TEST("Without a folder to wait in, turns go by the time alone")
{
    struct fz_extension_lock lock;
    struct fz_extension_lock none;

    snprintf(gen->store.word.path, sizeof gen->store.word.path, "%s/gone/word", scratch);
    memcpy(other->store.word.path, gen->store.word.path, sizeof gen->store.word.path);
    assert_true(fz_extension_lock_try(gen, &lock));
    assert_false(fz_extension_lock_try(other, &none));
    fz_extension_lock_release(gen, &lock);
    assert_true(fz_extension_lock_try(other, &lock));
    fz_extension_lock_release(other, &lock);
}
