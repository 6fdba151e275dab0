/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a load that fails leaves a connection that can be used and closed.  SQLite unloads the extension
 * then, and keeps the functions that it made before. loading EXTENSION
 */
#define _DEFAULT_SOURCE /* fork */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

static const char *extension;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

/* ---- memory that ends ------------------------------------------------------------ */

static sqlite3_mem_methods real;
static int allocations_left = -1; /* below 0: no end */

static bool is_refused(void)
{
    if (allocations_left > 0)
        allocations_left--;
    return allocations_left == 0;
}

static void *refusing_malloc(int n)
{
    return is_refused() ? NULL : real.xMalloc(n);
}

static void *refusing_realloc(void *old, int n)
{
    return is_refused() ? NULL : real.xRealloc(old, n);
}

static void make_memory_end(void)
{
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real);
    sqlite3_mem_methods refusing = real;
    refusing.xMalloc = refusing_malloc;
    refusing.xRealloc = refusing_realloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &refusing);
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
}

/* ---- loads ----------------------------------------------------------------------- */

static sqlite3 *open_memory(void)
{
    sqlite3 *db;

    if (sqlite3_open(":memory:", &db) != SQLITE_OK || sqlite3_enable_load_extension(db, 1) != SQLITE_OK)
        die("sqlite3_open", sqlite3_errmsg(db));
    return db;
}

/* Uses what is there of it, and closes the connection. */
static void use_and_close(sqlite3 *db)
{
    (void)sqlite3_exec(db, "SELECT frazil_next()", NULL, NULL, NULL);
    (void)sqlite3_exec(db, "SELECT frazil_time(1)", NULL, NULL, NULL);
    if (sqlite3_close(db) != SQLITE_OK)
        die("sqlite3_close", "the connection is still used");
}

/* Exit status of the child that loads it with so many allocations: 0: it was loaded, 2: it was not. */
static int load_with(int allocations)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        sqlite3 *db = open_memory();
        allocations_left = allocations;
        int code = sqlite3_load_extension(db, extension, NULL, NULL);
        allocations_left = -1;
        use_and_close(db);
        _exit(code == SQLITE_OK ? 0 : 2);
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        die("a load without memory", "the process ended by a signal");
    return WEXITSTATUS(status);
}

static void try_without_memory(void)
{
    int failed = 0;

    for (int n = 1; failed < 1000 && load_with(n) != 0; n++)
        failed++;
    if (failed < 20 || failed == 1000)
        die("a load without memory", failed == 1000 ? "always fails" : "hardly ever fails");
    printf("%d loads without memory\n", failed);
}

static void of_the_program(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    (void)argv;
    sqlite3_result_int(context, 1);
}

/* A function of the program's own has a name of ours, and is running. */
static void try_while_running(void)
{
    sqlite3 *db = open_memory();
    sqlite3_stmt *running;
    char *why = NULL;

    sqlite3_create_function(db, "frazil_within", 3, SQLITE_UTF8, NULL, of_the_program, NULL, NULL);
    if (sqlite3_prepare_v2(db, "SELECT frazil_within(1, 2, 3) FROM (VALUES (1), (2))", -1, &running, NULL) !=
            SQLITE_OK ||
        sqlite3_step(running) != SQLITE_ROW)
        die("frazil_within", sqlite3_errmsg(db));
    if (sqlite3_load_extension(db, extension, NULL, &why) == SQLITE_OK)
        die("a load while a statement runs", "is not refused");
    if (why == NULL || strstr(why, "load it before the connection has a running statement") == NULL)
        die("a load while a statement runs", why == NULL ? "says nothing" : why);
    sqlite3_free(why);
    sqlite3_finalize(running);
    use_and_close(db);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        die("loading", "usage: loading EXTENSION");
    extension = argv[1];
    make_memory_end();
    try_without_memory();
    try_while_running();
    return 0;
}
