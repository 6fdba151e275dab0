/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: whoever reads the board sees one grant, never parts of two,
 * however long the reader is held up, and whenever the writer dies.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "generator/grant_board.h"
#include "lib/callers.h"

enum { READERS = 2, KICKS = 300, STEP = 1000, EXTENSIONS = 3 };

static void assert_stands(const struct fz_grant_board *board, const struct fz_grant *grant)
{
    struct fz_grant read = fz_grant_board_read(board);

    assert_int_equal(read.worker, grant->worker);
    assert_int_equal(read.floor, grant->floor);
    assert_int_equal(read.until, grant->until);
    assert_int_equal(read.version, grant->version);
}

/* What was put in force stands, all of it, also after the entries have been used in turns. */
static void test_order(void **state)
{
    struct fz_grant_board board;

    (void)state;
    memset(&board, 0, sizeof board);
    for (uint32_t i = 0; i < 3 * FZ_GRANT_ENTRIES; i++) {
        struct fz_grant grant = {.worker = UINT32_MAX - i, .floor = i, .until = UINT64_MAX - 10, .version = 7 * i};
        fz_grant_board_replace(&board, &grant);
        assert_stands(&board, &grant);
        grant.until = UINT64_MAX;
        grant.version++;
        fz_grant_board_extend(&board, &grant);
        assert_stands(&board, &grant);
    }
}

/* A writer that dies before the number leaves the grant before it, and nothing that disturbs the next writer. */
static void test_death_before_the_number(void **state)
{
    const struct fz_grant old = {.worker = 1, .floor = 10, .until = 20, .version = 1};
    const struct fz_grant next = {.worker = 3, .floor = 50, .until = 60, .version = 3};
    struct fz_grant_board board;

    (void)state;
    memset(&board, 0, sizeof board);
    fz_grant_board_replace(&board, &old);
    unsigned i = (unsigned)((board.number + 1) % FZ_GRANT_ENTRIES);
    board.entries[i].worker = 2;
    assert_stands(&board, &old);
    board.entries[i].floor = 30;
    board.entries[i].until = 40;
    assert_stands(&board, &old);
    board.entries[i].version = 2;
    assert_stands(&board, &old);
    fz_grant_board_replace(&board, &next);
    assert_stands(&board, &next);
}

/* A writer that dies while it extends leaves the end that was, never one that nobody recorded. */
static void test_death_while_extending(void **state)
{
    const struct fz_grant old = {.worker = 1, .floor = 10, .until = 20, .version = 1};
    struct fz_grant_board board;

    (void)state;
    memset(&board, 0, sizeof board);
    fz_grant_board_replace(&board, &old);
    board.entries[board.number % FZ_GRANT_ENTRIES].version = 2;
    struct fz_grant read = fz_grant_board_read(&board);
    assert_int_equal(read.until, 20);
    assert_int_equal(read.version, 2);
}

/* ---- readers and a writer at once ---------------------------------------------- */

/*
 * Grant k is of worker k, floor k * STEP, and ends less than STEP above; its version is its end.  An extension may
 * be seen half: the new version and the old end.
 */
static struct fz_grant_board board;
static _Atomic bool stop;
static _Atomic uint64_t torn;
static _Atomic uint64_t backward;
static _Atomic uint64_t held_up;

static bool is_whole(const struct fz_grant *grant)
{
    return grant->floor == grant->worker * (uint64_t)STEP && grant->until > grant->floor &&
           grant->until <= grant->floor + EXTENSIONS + 1 && grant->version >= grant->until &&
           grant->version <= grant->floor + EXTENSIONS + 1;
}

static void *write_grants(void *arg)
{
    (void)arg;
    for (uint32_t k = 2; !atomic_load(&stop); k++) {
        struct fz_grant grant = {.worker = k, .floor = k * (uint64_t)STEP};
        grant.until = grant.version = grant.floor + 1;
        fz_grant_board_replace(&board, &grant);
        for (unsigned i = 0; i < k % (EXTENSIONS + 1); i++) {
            grant.until = ++grant.version;
            fz_grant_board_extend(&board, &grant);
        }
    }
    return NULL;
}

static void *read_grants(void *arg)
{
    uint32_t last = 0;

    (void)arg;
    while (!atomic_load(&stop)) {
        struct fz_grant grant = fz_grant_board_read(&board);
        atomic_fetch_add(&torn, !is_whole(&grant));
        atomic_fetch_add(&backward, grant.worker < last);
        last = grant.worker;
    }
    return NULL;
}

/* Holds a reader up, wherever it is, until its entry has been written again. */
static void hold_up(int signal_number)
{
    uint64_t number = atomic_load(&board.number);

    (void)signal_number;
    while (atomic_load(&board.number) < number + FZ_GRANT_ENTRIES && !atomic_load(&stop))
        ;
    atomic_fetch_add(&held_up, 1);
}

/* Readers that are held up in the middle for as long as it takes to write their entry anew still see one grant. */
static void test_threads(void **state)
{
    const struct sigaction action = {.sa_handler = hold_up};
    const struct fz_grant first = {.worker = 1, .floor = STEP, .until = STEP + 1, .version = STEP + 1};
    pthread_t readers[READERS];
    pthread_t writer;

    (void)state;
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    fz_grant_board_replace(&board, &first);
    assert_int_equal(pthread_create(&writer, NULL, write_grants, NULL), 0);
    for (unsigned i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_grants, NULL), 0);
    for (uint64_t kick = 0; kick < KICKS; kick++) {
        assert_int_equal(pthread_kill(readers[kick % READERS], SIGUSR1), 0);
        while (atomic_load(&held_up) <= kick)
            pause_ns(10000);
    }
    atomic_store(&stop, true);
    for (unsigned i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    pthread_join(writer, NULL);
    assert_int_equal(torn, 0);
    assert_int_equal(backward, 0);
    assert_true(board.number > FZ_GRANT_ENTRIES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_death_before_the_number),
        cmocka_unit_test(test_death_while_extending),
        cmocka_unit_test(test_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
