/* SPDX-License-Identifier: MIT */
/*
 * A register in one table of an SQL database, with a row for each record of each namespace.  Each operation is one
 * round trip, which also tells the time and the server's identity; a swap is one conditional INSERT or UPDATE.  Some
 * databases are asked for the table's key before an INSERT, which is one round trip more.
 *
 * Versions are microseconds since 1970 by the server's clock, made to grow with each swap, so that they do not come
 * back when rows or the table were lost.
 *
 * The dialect of a database: statements, and a few functions.
 */
#ifndef FZ_COMMON_SQL_REGISTER_H
#define FZ_COMMON_SQL_REGISTER_H

#include "common/session.h"
#include "common/url.h"
#include "lease/register.h"

/* Bytes of a statement with everything put in, terminator included. */
#define FZ_SQL_SIZE (4096 + FZ_READ_MANY_MAX * sizeof "4294967295,")

/* The most columns of an answer. */
enum { FZ_SQL_COLUMNS_MAX = 8 };

struct fz_sql_dialect;

/* The first member of a coordinator's own connection. */
struct fz_sql_connection {
    struct fz_session session;
    const struct fz_sql_dialect *dialect;
    const char *table;           /* as statements write it */
    struct fz_deadline deadline; /* of the call that it is used by; each function of the port sets it */
    char warning[128];           /* the first one that came with the last answer; empty: none did */
};

/* The reasons why a server refuses. */
enum fz_sql_refusal {
    FZ_SQL_SOMETHING, /* else */
    FZ_SQL_NO_TABLE,
    FZ_SQL_MAY_NOT
};

/* A value of an answer. */
struct fz_sql_value {
    const char *text; /* numbers in decimal; NULL: it is NULL */
    size_t len;
};

struct fz_sql_answer {
    void *rows; /* of the client library; NULL: none */
    size_t columns;
    size_t next;                                    /* the row that next_row shows; 0: begins anew */
    struct fz_sql_value values[FZ_SQL_COLUMNS_MAX]; /* of the row before */
};

/*
 * The functions' results are those of the port.  In a statement @T is the table's name, @N the namespace's, @W the
 * record's number, @V the version that it must have, @D its data, in hexadecimal digits, and @L a list of numbers. None
 * of them can have a character that SQL would have to quote: names are checked where the URL is read.
 */
struct fz_sql_dialect {
    const struct fz_url_kind *const *kind; /* of the URL */
    size_t size;                           /* of its connection */
    size_t url_at;                         /* where that has the struct of its URL */

    const char *speakers;  /* of the dialect: "MySQL and MariaDB do" */
    size_t status_columns; /* they tell the time, in microseconds, and the server's identity */
    bool hides_tables;     /* a user that may not read a table is not told whether it is there */

    const char *status;    /* its columns */
    const char *read;      /* the status, version and data; these are NULL if there is no record */
    const char *read_all;  /* the status and three times NULL; and rows of number, version and data, without a time */
    const char *read_many; /* the same, for @L */
    const char *insert;    /* the status, and the version that stands now; NULL: nothing was done */
    const char *update;    /* the same */
    const char *create;    /* the table, if it is not there */

    /* Sends statements and waits for their answer.  FZ_REGISTER_OK: ret->rows is freed by free_rows. */
    enum fz_register_result (*carry_out)(struct fz_sql_connection *connection, const char *sql,
                                         struct fz_sql_answer *ret, frazil_error *reterr);
    bool (*next_row)(struct fz_sql_answer *answer); /* false: there is none */
    void (*free_rows)(void *rows);                  /* NULL: none */

    /* Why the last statement was refused. */
    enum fz_sql_refusal (*refusal)(const struct fz_sql_connection *connection);

    /*
     * Reads the incarnation out of a status; empty: it tells none.  Not FZ_REGISTER_OK: the server, or its table, is
     * one that is not to be asked.
     */
    enum fz_register_result (*read_incarnation)(struct fz_sql_connection *connection, const struct fz_sql_value *status,
                                                char ret[FZ_INCARNATION_SIZE], frazil_error *reterr);

    /* Says what a user with the right to create the table must run.  FZ_REGISTER_REFUSED. */
    enum fz_register_result (*may_not_create)(struct fz_sql_connection *connection, frazil_error *reterr);

    /* Whether a table that may have been made in another way can keep records apart.  NULL: it can. */
    enum fz_register_result (*check_table)(struct fz_sql_connection *connection, frazil_error *reterr);

    /* Whether its key still does, asked before each INSERT.  NULL: no INSERT succeeds without such a key. */
    enum fz_register_result (*check_key)(struct fz_sql_connection *connection, frazil_error *reterr);

    /*
     * Whether the table is so young that another one of the same incarnation could still take its place.  Asked before
     * each write of the namespace's record, which waits.  NULL: no other one can.
     */
    enum fz_register_result (*is_young)(struct fz_sql_connection *connection, bool *ret, frazil_error *reterr);

    enum fz_register_result (*diagnose)(struct fz_sql_connection *connection, fz_finding_visitor visit, void *ctx,
                                        frazil_error *reterr);

    /* Readies a connection without making it; all of it but its URL and its dialect is 0. */
    void (*start)(struct fz_sql_connection *connection);
};

/* A statement about the table alone, with its name put in; buf has FZ_SQL_SIZE bytes.  Returns buf. */
const char *fz_sql_of_table(const struct fz_sql_connection *connection, const char *sql, char *buf);

/*
 * Makes a register of a URL of the dialect's kind, without connecting; as open_register in lease/coordinator.h.  Its
 * ctx is the connection.  FRAZIL_ESPEC, ESYS: the URL or its password file; FRAZIL_ENOMEM.
 */
frazil_err fz_sql_register_open(const struct fz_sql_dialect *dialect, const char *url, struct fz_register *ret,
                                char *ret_name, frazil_error *reterr);

#endif
