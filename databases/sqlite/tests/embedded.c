/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the extension linked into a program makes no id twice, in threads, in children and after a kill.
 * embedded DATABASE, with the spec of a generator in FRAZIL_SQLITE_MAIN; a second argument is a number of ids to print.
 */
#define _DEFAULT_SOURCE /* usleep, MAP_ANONYMOUS */

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil_sqlite.h"

enum { TAKERS = 4, IDS = 20000, CONNECTIONS = 200 };

static const char *database;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static sqlite3 *open_database(void)
{
    sqlite3 *db;

    if (sqlite3_open(database, &db) != SQLITE_OK)
        die("sqlite3_open", sqlite3_errmsg(db));
    return db;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        die(sql, sqlite3_errmsg(db));
    return statement;
}

/* Takes n ids by one connection, by `sql`, which has one row or many. */
static void take(sqlite3_int64 *ret, size_t n, const char *sql)
{
    sqlite3 *db = open_database();
    sqlite3_stmt *statement = prepare(db, sql);
    size_t taken = 0;

    while (taken < n) {
        int code = sqlite3_step(statement);
        if (code == SQLITE_ROW)
            ret[taken++] = sqlite3_column_int64(statement, 0);
        else if (code == SQLITE_DONE)
            sqlite3_reset(statement);
        else
            die(sql, sqlite3_errmsg(db));
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
}

static void *take_in_thread(void *ids)
{
    take(ids, IDS, "SELECT frazil_next()");
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    sqlite3_int64 x = *(const sqlite3_int64 *)a;
    sqlite3_int64 y = *(const sqlite3_int64 *)b;

    return (x > y) - (x < y);
}

static void assert_unique(sqlite3_int64 *ids, size_t n, const char *of)
{
    qsort(ids, n, sizeof *ids, by_value);
    for (size_t i = 0; i < n; i++) {
        if (ids[i] <= 0 || (i > 0 && ids[i] == ids[i - 1]))
            die(of, "an id twice, or none");
    }
    printf("%zu ids of %s, no two the same\n", n, of);
}

static void try_threads(sqlite3_int64 *ids)
{
    pthread_t threads[TAKERS];

    for (size_t i = 0; i < TAKERS; i++) {
        if (pthread_create(&threads[i], NULL, take_in_thread, ids + i * IDS) != 0)
            die("pthread_create", "failed");
    }
    for (size_t i = 0; i < TAKERS; i++)
        pthread_join(threads[i], NULL);
    assert_unique(ids, (size_t)TAKERS * IDS, "threads");
}

/* The parent has a connection that has taken an id, and the children open their own. */
static void try_children(sqlite3_int64 *ids)
{
    sqlite3 *db = open_database();
    sqlite3_stmt *statement = prepare(db, "SELECT frazil_next()");
    pid_t children[TAKERS];

    if (sqlite3_step(statement) != SQLITE_ROW)
        die("the parent", sqlite3_errmsg(db));
    for (size_t i = 0; i < TAKERS; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            take(ids + i * IDS, IDS, i % 2 == 0 ? "SELECT frazil_next()" : "SELECT id FROM frazil_series(1000)");
            _exit(0);
        }
    }
    for (size_t i = 0; i < TAKERS; i++) {
        int status = 1;
        if (waitpid(children[i], &status, 0) != children[i] || status != 0)
            die("a child", "failed");
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    assert_unique(ids, (size_t)TAKERS * IDS, "children");
}

/* Takes the rest of a statement that was begun. */
static void take_rest(sqlite3_int64 *ret, size_t n, sqlite3_stmt *statement)
{
    for (size_t i = 0; i < n; i++) {
        if (sqlite3_step(statement) != SQLITE_ROW)
            die("the rest of a series", "ended early");
        ret[i] = sqlite3_column_int64(statement, 0);
    }
}

/* Parent and child go on with one statement: SQLite warns of it, and an id must not come twice for that. */
static void try_child_in_series(sqlite3_int64 *ids)
{
    enum { BEFORE = 10, AFTER = 990 };
    sqlite3 *db;

    if (sqlite3_open(":memory:", &db) != SQLITE_OK)
        die("sqlite3_open", sqlite3_errmsg(db));
    sqlite3_stmt *statement = prepare(db, "SELECT id FROM frazil_series(1000)");
    take_rest(ids, BEFORE, statement);
    pid_t child = fork();
    int status = 1;
    take_rest(ids + BEFORE + (child == 0 ? AFTER : 0), AFTER, statement);
    if (child == 0)
        _exit(0);
    if (waitpid(child, &status, 0) != child || status != 0)
        die("a child", "failed");
    sqlite3_finalize(statement);
    sqlite3_close(db);
    assert_unique(ids, BEFORE + 2 * AFTER, "a parent and a child within one series");
}

/* A child that is killed while it takes ids, and one that goes on. */
static void try_kill(sqlite3_int64 *ids)
{
    pid_t killed = fork();

    memset(ids, 0, 2 * IDS * sizeof *ids);
    if (killed == 0) {
        take(ids, IDS, "SELECT frazil_next()");
        _exit(0);
    }
    for (volatile sqlite3_int64 *seen = &ids[99]; *seen == 0;)
        usleep(100);
    kill(killed, SIGKILL);
    waitpid(killed, NULL, 0);
    size_t n = 0;
    while (n < IDS && ids[n] != 0)
        n++;
    take(ids + n, IDS, "SELECT frazil_next()");
    assert_unique(ids, n + IDS, "one that was killed and its successor");
}

static void try_connections(sqlite3_int64 *ids)
{
    for (size_t i = 0; i < CONNECTIONS; i++)
        take(ids + i, 1, "SELECT frazil_next()");
    assert_unique(ids, CONNECTIONS, "connections that came and went");
}

int main(int argc, char **argv)
{
    size_t size = (size_t)TAKERS * IDS * sizeof(sqlite3_int64);
    sqlite3_int64 *ids = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (argc < 2 || ids == MAP_FAILED)
        die("embedded", "usage: embedded DATABASE");
    database = argv[1];
    sqlite3_auto_extension((void (*)(void))sqlite3_frazil_init);
    if (frazil_sqlite_config("Wrong", "") != SQLITE_MISUSE || frazil_sqlite_config("", "") != SQLITE_MISUSE ||
        frazil_sqlite_config(NULL, "") != SQLITE_MISUSE || frazil_sqlite_config("main", NULL) != SQLITE_MISUSE)
        die("frazil_sqlite_config", "took a name that is none, or NULL");
    if (frazil_sqlite_config("main", "worker=fixed:1 state=file") != SQLITE_OK ||
        frazil_sqlite_config("main", "worker=fixed:2 state=file") != SQLITE_OK)
        die("frazil_sqlite_config", "failed");
    take(ids, 1, "SELECT frazil_worker(frazil_next())");
    if (ids[0] != 2)
        die("frazil_sqlite_config", "the last spec does not count");
    try_threads(ids);
    try_children(ids);
    try_child_in_series(ids);
    try_kill(ids);
    try_connections(ids);
    return 0;
}
