/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* S_ISVTX */
#include "lib/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/resting_fork.h"

struct test_hooks test_hooks;

static struct test *tests;

void test_add(struct test *test)
{
    struct test **place = &tests;

    while (*place != NULL && (*place)->line < test->line)
        place = &(*place)->next;
    test->next = *place;
    *place = test;
}

/* ---- the host ---------------------------------------------------------------- */

/*
 * Each test is on a host of its own: what it claims there is in nobody's way, be it another test's or that of a program
 * of this machine.
 */
static char host_dir[512];

static void make_host(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(host_dir, sizeof host_dir, "%s/frazil-host-XXXXXX", tmp == NULL ? "/tmp" : tmp);
    assert_non_null(mkdtemp(host_dir));
    assert_int_equal(chmod(host_dir, S_ISVTX | S_IRWXU | S_IRWXG | S_IRWXO), 0);
    setenv("FRAZIL_HOST_DIR", host_dir, 1);
}

static void remove_host(void)
{
    DIR *dir = opendir(host_dir);

    if (dir == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
        (void)unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
    (void)rmdir(host_dir);
}

void test_change_host(void)
{
    remove_host();
    make_host();
}

/* ---- as cmocka wants them -------------------------------------------------- */

static void run_body(void **state)
{
    const struct test *test = *state;

    test->body();
}

#define AS_FIXTURE(hook)                                                                                               \
    static int run_##hook(void **state)                                                                                \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        if (test_hooks.hook != NULL)                                                                                   \
            test_hooks.hook();                                                                                         \
        return 0;                                                                                                      \
    }

AS_FIXTURE(before_each)
AS_FIXTURE(after_each)
AS_FIXTURE(before_all)
AS_FIXTURE(after_all)

#undef AS_FIXTURE

static int set_up(void **state)
{
    make_host();
    return run_before_each(state);
}

static int tear_down(void **state)
{
    int failed = run_after_each(state);

    remove_host();
    return failed;
}

/* ---- the program ------------------------------------------------------------ */

static bool is_wanted(const struct test *test)
{
    const char *words = getenv("TEST_ONLY");

    return words == NULL || strstr(test->sentence, words) != NULL;
}

/* ../left-out.tsv names it for this build: each sentence stands between two bars. */
static bool is_left_out(const struct test *test)
{
    const char *at = getenv("TEST_LEFT_OUT");
    size_t len = strlen(test->sentence);

    while (at != NULL && (at = strchr(at, '|')) != NULL) {
        at++;
        if (strncmp(at, test->sentence, len) == 0 && at[len] == '|')
            return true;
    }
    return false;
}

static void run_left_out(void **state)
{
    (void)state;
    print_message("left out of this build: tests/left-out.tsv says why\n");
    skip();
}

static struct CMUnitTest for_cmocka(struct test *test)
{
    if (is_left_out(test))
        return (struct CMUnitTest){test->sentence, run_left_out, NULL, NULL, NULL};
    return (struct CMUnitTest){test->sentence, run_body, set_up, tear_down, test};
}

/* Writes those that are wanted into the array, unless it is NULL, and returns how many they are. */
static size_t choose(struct CMUnitTest *ret_chosen)
{
    size_t count = 0;

    for (struct test *test = tests; test != NULL; test = test->next) {
        if (!is_wanted(test))
            continue;
        if (ret_chosen != NULL)
            ret_chosen[count] = for_cmocka(test);
        count++;
    }
    return count;
}

int test_run(void)
{
    size_t count = choose(NULL);
    struct CMUnitTest *chosen = calloc(count + 1, sizeof *chosen);

    if (count == 0 || chosen == NULL) {
        print_error("no test to run: %s\n",
                    tests == NULL ? "the program has none" : "no sentence has the words of TEST_ONLY");
        free(chosen);
        return 1;
    }
    choose(chosen);
    resting_fork_enable();
    int failed = _cmocka_run_group_tests("tests", chosen, count, run_before_all, run_after_all);
    free(chosen);
    return failed != 0;
}

/* As ctest knows it (SKIP_RETURN_CODE). */
enum { SKIPPED = 77 };

void test_need(bool is_there)
{
    if (!is_there)
        exit(SKIPPED);
}

/* Weak: a program may have a main() of its own. */
__attribute__((weak)) int main(void)
{
    return test_run();
}
